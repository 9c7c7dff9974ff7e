import { concat, encode } from '../../util/bytes.ts'
import type { H3Event, H3Request } from './h3-event.ts'

// h3 1 caches a body that it has read under this symbol.
const rawBody: unique symbol = Symbol.for('h3RawBody')

type BodyParts = AsyncGenerator<Uint8Array, undefined>

/** A reader for the payload of an h3 1 event. */
export type Payload = {
  /** Returns the next part; undefined at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Whether reading has started but not ended. */
  readonly isOpen: () => boolean
  /** Reads the rest and discards it. */
  readonly drop: () => void
}

/** Converts bytes to the type that h3's `readBody` accepts: a Buffer, if the runtime has this class. */
const bufferOf = (bytes: Uint8Array): Uint8Array => {
  const { Buffer } = globalThis as { Buffer?: { from: (bytes: Uint8Array) => Uint8Array } }
  return Buffer?.from(bytes) ?? bytes
}

/** Finds a body that is no longer in the Node stream. Searches in the same order as h3. */
const placeOf = (event: H3Event): readonly [holder: object, name: PropertyKey] | undefined => {
  const { req } = event.node
  const places = [
    [event, '_requestBody'],
    [event.web?.request ?? {}, 'body'],
    [req, rawBody],
    [req, 'rawBody'],
    [req, 'body'],
  ] as const
  return places.find(([holder, name]) => Reflect.get(holder, name))
}

/** Serializes a form with a fixed boundary, because `Response` generates a new one each time. */
const bytesOfForm = async (form: FormData): Promise<Uint8Array> => {
  const response = new Response(form)
  const [, boundary = ''] = /boundary=(.+)$/.exec(response.headers.get('content-type')!) ?? []
  // Latin-1 maps each byte to one character.
  const text = new TextDecoder('latin1').decode(await response.arrayBuffer())
  return encode(text.replaceAll(boundary, '-'))
}

/** Serializes a body that a platform or a parser has read. */
const bytesOf = (body: unknown): Uint8Array | Promise<Uint8Array> => {
  if (typeof body === 'string' || body instanceof URLSearchParams) return encode(`${body}`)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (body instanceof FormData) return bytesOfForm(body)
  return encode(JSON.stringify(body))
}

async function* partsOfStream(stream: ReadableStream<Uint8Array>): BodyParts {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    yield value
  }
}

/** Reads a Node stream, and passes all of its bytes to `leave` for the next reader, unless the rest is dropped. */
async function* partsOfNode(
  stream: AsyncIterable<Uint8Array>,
  isDropped: () => boolean,
  leave: (bytes: Uint8Array) => void,
): BodyParts {
  const parts: Uint8Array[] = []
  for await (const part of stream) {
    if (isDropped()) parts.length = 0
    else parts.push(part)
    yield part
  }
  leave(bufferOf(concat(parts)))
  return undefined
}

const hasBody = ({ headers }: H3Event, { httpVersionMajor = 1 }: H3Request): boolean =>
  Number(headers.get('content-length')) > 0 ||
  headers.has('transfer-encoding') ||
  // In HTTP/2, a flag marks the end of the body, so a body needs no length.
  httpVersionMajor > 1

/** Reads a body from the place from which h3 would read it. */
async function* findParts(event: H3Event, isDropped: () => boolean): BodyParts {
  const { req } = event.node
  const place = placeOf(event)
  if (!place) {
    const leave = (bytes: Uint8Array): void => void (req[rawBody] = Promise.resolve(bytes))
    return hasBody(event, req) ? yield* partsOfNode(req, isDropped, leave) : undefined
  }
  const [holder, name] = place
  const set = (body: unknown): void => void Reflect.set(holder, name, body)
  const body: unknown = await Reflect.get(holder, name)
  const { pipe } = Object(body) as { pipe?: unknown }
  if (body instanceof ReadableStream) {
    const request = event.web?.request
    // If this is the body of the request, clone the request, so that the original still has a body.
    const [own, rest] =
      request && request.body === body ? [request.clone().body!, request.body] : body.tee()
    set(request?.body ?? rest)
    return yield* partsOfStream(own as ReadableStream<Uint8Array>)
  }
  if (typeof pipe === 'function') {
    return yield* partsOfNode(body as AsyncIterable<Uint8Array>, isDropped, set)
  }
  yield await bytesOf(body)
  return undefined
}

/** Creates a reader for the payload of an h3 1 event. The handler can still call `readBody`. */
export const partsOf = (event: H3Event): Payload => {
  let state: 'unread' | 'open' | 'ended' = 'unread'
  let isDropped = false
  const parts = findParts(event, () => isDropped)
  const isOpen = (): boolean => state === 'open'
  // Never end the generator early: Node would close the connection.
  const read = async (): Promise<Uint8Array | undefined> => {
    if (state === 'ended') return undefined
    state = 'open'
    const { value, done } = await parts.next()
    if (done) state = 'ended'
    return value?.length === 0 ? read() : value && new Uint8Array(value)
  }
  const drain = async (): Promise<void> => {
    try {
      while (isOpen()) await read()
    } catch {
      // The connection has failed, so the rest will not arrive.
    }
  }
  const drop = (): void => {
    isDropped = true
    void drain()
  }
  return { read, isOpen, drop }
}
