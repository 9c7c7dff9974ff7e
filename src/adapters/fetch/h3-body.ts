import { concat, encode } from '../../util/bytes.ts'
import type { H3Event, H3Request } from './h3-event.ts'

// h3 1 stores a body that it has read under this symbol, and reads it from there.
const rawBody: unique symbol = Symbol.for('h3RawBody')

type BodyParts = AsyncGenerator<Uint8Array, undefined>

/** The payload of an event of h3 1, read part by part. */
export type Payload = {
  /** Returns the next part; undefined at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Whether it has been read in part. */
  readonly isOpen: () => boolean
  /** Reads the rest and discards it. */
  readonly drop: () => void
}

/** Bytes in the type that `readBody` of h3 accepts: a Buffer, if the runtime has it. */
const bufferOf = (bytes: Uint8Array): Uint8Array => {
  const { Buffer } = globalThis as { Buffer?: { from: (bytes: Uint8Array) => Uint8Array } }
  return Buffer?.from(bytes) ?? bytes
}

/** The place of a body that is no longer in the stream of Node, in the order in which h3 looks for it. */
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

/** The bytes of a form, with a fixed boundary, since `Response` uses a different one each time. */
const bytesOfForm = async (form: FormData): Promise<Uint8Array> => {
  const response = new Response(form)
  const [, boundary = ''] = /boundary=(.+)$/.exec(response.headers.get('content-type')!) ?? []
  // One character for each byte.
  const text = new TextDecoder('latin1').decode(await response.arrayBuffer())
  return encode(text.replaceAll(boundary, '-'))
}

/** The bytes of a body that a platform or a parser has read. */
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

/** Reads a stream of Node, and keeps all of it for the next reader, unless the rest is dropped. */
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
  // HTTP/2 needs no length: a flag marks the end of the body.
  httpVersionMajor > 1

/** The parts of a body, from the place where h3 would read it. */
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
    // If it is the body of the request, a clone of the request leaves a body in the original.
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

/** Returns a reader of the payload of an h3 1 event. It keeps the payload for `readBody` in the handler. */
export const partsOf = (event: H3Event): Payload => {
  let state: 'unread' | 'open' | 'ended' = 'unread'
  let isDropped = false
  const parts = findParts(event, () => isDropped)
  const isOpen = (): boolean => state === 'open'
  // The generator is never ended early: Node would close the connection.
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
      // The rest will not arrive.
    }
  }
  const drop = (): void => {
    isDropped = true
    void drain()
  }
  return { read, isOpen, drop }
}
