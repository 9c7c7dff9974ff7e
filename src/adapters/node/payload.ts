import type { IncomingMessage } from 'node:http'
import { ClientGoneError } from '../../requests/client-gone.ts'
import { concat, encode } from '../../util/bytes.ts'
import type { Exchange } from './exchange.ts'
import { coded } from '../../util/codes.ts'

const incomparable = (message: string): TypeError => new TypeError(coded('ERL17', message))

const readElsewhere =
  'The body has been read, and `req.body` does not have all of it: ' +
  'put idempotent() before the code that reads it, or set `fingerprint`'

const withoutLength =
  'A body without a `content-length` cannot be read both here and by the handler: set `fingerprint`'

/** Whether a request has a body. https://www.rfc-editor.org/rfc/rfc9112#section-6 */
const hasBody = (req: IncomingMessage): boolean => {
  const { headers, httpVersionMajor, complete, readableLength } = req
  // In HTTP/2, a flag marks the end of a body, so a body can lack a length.
  const length = headers['content-length'] ?? (httpVersionMajor > 1 ? 1 : 0)
  return (
    (headers['transfer-encoding'] !== undefined || Number(length) > 0) &&
    !(complete && readableLength === 0)
  )
}

/** Waits for more of the body, or for its end. @throws `ClientGoneError` if the client disconnects first. */
const more = (req: IncomingMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      req.off('readable', onMore).off('end', onMore).off('error', onGone).off('close', onGone)
    }
    const onMore = (): void => {
      stop()
      resolve()
    }
    const onGone = (): void => {
      stop()
      reject(new ClientGoneError())
    }
    req.on('readable', onMore).on('end', onMore).on('error', onGone).on('close', onGone)
    if (req.destroyed) onGone()
  })

/** Reads and discards the rest of a body. Never rejects. */
export const drainPayload = async (req: IncomingMessage): Promise<void> => {
  try {
    while (!req.readableEnded) if (req.read() === null) await more(req)
  } catch {
    // The connection has failed, so the rest will not arrive.
  }
}

type Http2Stream = {
  readonly readableEnded: boolean
  readonly aborted: boolean
  readonly rstCode?: number
}

/**
 * Whether the stream of an HTTP/2 request has ended, so that the next read ends the request.
 *
 * @throws `ClientGoneError` if the client has canceled the stream.
 */
const hasStreamEnded = (req: IncomingMessage): boolean => {
  const { stream } = req as { readonly stream?: Http2Stream }
  if (stream?.aborted || stream?.rstCode) throw new ClientGoneError()
  return stream?.readableEnded === true
}

/** Checks a request whose body seems to be empty. @throws `TypeError` if other code has read the body. */
const checkEmpty = ({ headers, readableDidRead }: IncomingMessage): void => {
  if (readableDidRead || Number(headers['content-length']) > 0) throw incomparable(readElsewhere)
}

/**
 * Creates a function that reads an unread body part by part. Once the body is complete, the function puts all of it
 * back into the stream for the next reader.
 */
const readerOf = (req: IncomingMessage): (() => Promise<Uint8Array | undefined>) => {
  const parts: Uint8Array[] = []
  const length = Number(req.headers['content-length'])
  let size = 0
  let isPutBack = false
  return async () => {
    while (!isPutBack) {
      const isOver = hasStreamEnded(req)
      const part = req.read() as Buffer | string | null
      if (part !== null) {
        // A stream with an encoding returns strings.
        parts.push(Buffer.from(part as string, req.readableEncoding ?? undefined))
        size += parts.at(-1)!.length
      }
      // The stream has already ended, so the body cannot be put back.
      if (req.readableEnded && parts[0]) throw incomparable(withoutLength)
      // Over HTTP/2 and with Fastify's `inject`, a request lacks `complete`, or sets it only after its end.
      const hasEnded = req.complete || size === length || isOver
      const isComplete = req.readableLength === 0 && hasEnded
      if (isComplete) {
        if (!parts[0]) checkEmpty(req)
        isPutBack = true
        // Put the body back immediately, because the stream would end in the next tick.
        if (parts[0]) req.unshift(concat(parts))
      }
      if (part !== null) return parts.at(-1)!
      if (!isComplete) await more(req)
    }
    return undefined
  }
}

const noContent =
  'A part of `req.body` has no content that can be compared: ' +
  'put idempotent() before the code that reads the body, or set `fingerprint`'

/** Rejects values whose content JSON would lose: a Map, a form or a buffer does not store it in properties. */
const withContent = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value
  // Values with a `toJSON` method, such as dates, have already been converted.
  const tag = Object.prototype.toString.call(value)
  if (/^\[object (?:Object|Null|\w*Array)\]$/.test(tag)) return value
  throw incomparable(noContent)
}

/** Serializes a parsed body. @throws `TypeError` if a part of it cannot be serialized. */
const bytesOf = (parsed: unknown, type: string): Uint8Array => {
  if (typeof parsed === 'string') return encode(parsed)
  if (parsed instanceof ArrayBuffer) return new Uint8Array(parsed)
  if (ArrayBuffer.isView(parsed)) {
    return new Uint8Array(parsed.buffer, parsed.byteOffset, parsed.byteLength)
  }
  if (parsed instanceof URLSearchParams) return encode(`${parsed}`)
  const json = JSON.stringify(parsed, withContent)
  // Forms are compared by their fields, so encode the JSON as a form with a single field.
  return encode(/^application\/x-www-form-urlencoded/i.test(type) ? encodeURIComponent(json) : json)
}

/** Whether other code reads the body, or has read it. A new listener may not have received the first part yet. */
const isReadElsewhere = (req: IncomingMessage): boolean =>
  req.readableDidRead ||
  req.readableEnded ||
  req.readableFlowing === true ||
  req.listenerCount('data') + req.listenerCount('readable') > 0

/**
 * Creates a function that reads the payload of a request. If a parser has read the body, the payload is the parser's
 * result.
 *
 * @returns undefined if there is no payload. The function rejects with a `TypeError` if the body has been read and is
 *   not fully available.
 */
export const payloadReader = ({
  req,
  parsed,
}: Exchange): (() => Promise<Uint8Array | undefined>) | undefined => {
  if (!req.readableDidRead && !hasBody(req)) return undefined
  if (!isReadElsewhere(req)) return readerOf(req)
  const body = parsed()
  const type = req.headers['content-type'] ?? ''
  // A multipart parser may have stored files outside of `req.body`.
  if (body === undefined || /^multipart\//i.test(type)) {
    return () => Promise.reject(incomparable(readElsewhere))
  }
  let isLeft = true
  return async () => {
    const bytes = isLeft ? bytesOf(body, type) : undefined
    isLeft = false
    return bytes
  }
}
