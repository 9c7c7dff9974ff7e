import type { IncomingMessage } from 'node:http'
import { ClientGoneError } from '../../requests/client-gone.ts'
import { concat, encode } from '../../util/bytes.ts'
import type { Exchange } from './exchange.ts'

const readElsewhere =
  'The body has been read, and nothing in `req.body` stands for all of it: ' +
  'put idempotent() before what reads it, or set `fingerprint`'

const withoutLength =
  'A body without a `content-length` cannot be read here and left to the handler: set `fingerprint`'

/** Whether a request has a body. https://www.rfc-editor.org/rfc/rfc9112#section-6 */
const hasBody = (req: IncomingMessage): boolean => {
  const { headers, httpVersionMajor, complete, readableLength } = req
  // HTTP/2 ends a body without a length by a flag.
  const length = headers['content-length'] ?? (httpVersionMajor > 1 ? 1 : 0)
  return (
    (headers['transfer-encoding'] !== undefined || Number(length) > 0) &&
    !(complete && readableLength === 0)
  )
}

/** Waits until more of the body is there, or all of it. @throws `ClientGoneError` if the client leaves before. */
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

/** Reads the rest of a body, and drops it. It never rejects. */
export const drainPayload = async (req: IncomingMessage): Promise<void> => {
  try {
    while (!req.readableEnded) if (req.read() === null) await more(req)
  } catch {
    // Nobody sends the rest.
  }
}

type Http2Stream = {
  readonly readableEnded: boolean
  readonly aborted: boolean
  readonly rstCode?: number
}

/**
 * Whether the stream below a request of HTTP/2 has ended, which ends the request with its next read.
 *
 * @throws `ClientGoneError` if the client has cancelled it.
 */
const hasStreamEnded = (req: IncomingMessage): boolean => {
  const { stream } = req as { readonly stream?: Http2Stream }
  if (stream?.aborted || stream?.rstCode) throw new ClientGoneError()
  return stream?.readableEnded === true
}

/** Checks a request of whose body nothing has come. @throws `TypeError` if somebody else has got it. */
const checkEmpty = ({ headers, readableDidRead }: IncomingMessage): void => {
  if (readableDidRead || Number(headers['content-length']) > 0) throw new TypeError(readElsewhere)
}

/**
 * Reads a body that nobody has read, part by part. Once it is complete, it is put back as a whole: whoever
 * comes next reads it as if nobody had.
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
        // A stream whose encoding somebody has set has text.
        parts.push(Buffer.from(part as string, req.readableEncoding ?? undefined))
        size += parts.at(-1)!.length
      }
      // Too late to put it back.
      if (req.readableEnded && parts[0]) throw new TypeError(withoutLength)
      // A request of HTTP/2 or of `inject` in Fastify has no `complete`, or is complete only after its end.
      const hasEnded = req.complete || size === length || isOver
      const isComplete = req.readableLength === 0 && hasEnded
      if (isComplete) {
        if (!parts[0]) checkEmpty(req)
        isPutBack = true
        // At once: the stream would end on its own in the next tick.
        if (parts[0]) req.unshift(concat(parts))
      }
      if (part !== null) return parts.at(-1)!
      if (!isComplete) await more(req)
    }
    return undefined
  }
}

const noContent =
  'A part of `req.body` has no content that could be compared: ' +
  'put idempotent() before what reads the body, or set `fingerprint`'

/** A value whose content JSON keeps. The content of a Map, a form or a buffer is none of its properties. */
const withContent = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value
  // `toJSON` has been called before.
  const tag = Object.prototype.toString.call(value)
  if (/^\[object (?:Object|Null|\w*Array)\]$/.test(tag)) return value
  throw new TypeError(noContent)
}

/** The bytes that stand for what a parser has made of a body. @throws `TypeError` if it has content of another kind. */
const bytesOf = (parsed: unknown, type: string): Uint8Array => {
  if (typeof parsed === 'string') return encode(parsed)
  if (parsed instanceof ArrayBuffer) return new Uint8Array(parsed)
  if (ArrayBuffer.isView(parsed)) {
    return new Uint8Array(parsed.buffer, parsed.byteOffset, parsed.byteLength)
  }
  if (parsed instanceof URLSearchParams) return encode(`${parsed}`)
  const json = JSON.stringify(parsed, withContent)
  // The bytes of a form are compared by its fields: here it has one.
  return encode(/^application\/x-www-form-urlencoded/i.test(type) ? encodeURIComponent(json) : json)
}

/** Whether somebody reads the body, or has read it. A new listener gets its first part in the next turn only. */
const isReadElsewhere = (req: IncomingMessage): boolean =>
  req.readableDidRead ||
  req.readableEnded ||
  req.readableFlowing === true ||
  req.listenerCount('data') + req.listenerCount('readable') > 0

/**
 * How to read the payload of a request; undefined if it has none. Where a parser has read the body, the
 * payload is what it has made of it.
 *
 * @throws `TypeError` if somebody has read the body and left nothing that stands for all of it.
 */
export const payloadReader = ({
  req,
  parsed,
}: Exchange): (() => Promise<Uint8Array | undefined>) | undefined => {
  if (!req.readableDidRead && !hasBody(req)) return undefined
  if (!isReadElsewhere(req)) return readerOf(req)
  const body = parsed()
  const type = req.headers['content-type'] ?? ''
  // A form may have files, which are elsewhere.
  if (body === undefined || /^multipart\//i.test(type)) {
    return () => Promise.reject(new TypeError(readElsewhere))
  }
  let isLeft = true
  return async () => {
    const bytes = isLeft ? bytesOf(body, type) : undefined
    isLeft = false
    return bytes
  }
}
