import type { IncomingMessage } from 'node:http'
import { concat } from '../util/bytes.ts'
import type { Exchange } from './exchange.ts'

const encoder = new TextEncoder()

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

/** Waits until more of the body is there, or all of it. @throws if the connection has closed before. */
const more = (req: IncomingMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      req.off('readable', settle).off('end', settle).off('error', settle).off('close', onClose)
      if (error) reject(error)
      else resolve()
    }
    const onClose = (): void => settle(new Error('The connection closed before the body ended'))
    req.on('readable', settle).on('end', settle).on('error', settle).on('close', onClose)
    if (req.destroyed) onClose()
  })

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
      const part = req.read() as Buffer | string | null
      if (part !== null) {
        // A stream whose encoding somebody has set has text.
        parts.push(Buffer.from(part as string, req.readableEncoding ?? undefined))
        size += parts.at(-1)!.length
      }
      // Too late to put it back, as over HTTP/2, where nothing else says that the body is complete.
      if (req.readableEnded && parts[0]) throw new TypeError(withoutLength)
      // A request of HTTP/2 or of `inject` in Fastify has no `complete`, or is complete only after its end.
      const isComplete = req.readableLength === 0 && (req.complete || size === length)
      if (isComplete) {
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

/** The bytes that stand for what a parser has made of a body. */
const bytesOf = (parsed: unknown): Uint8Array => {
  if (parsed instanceof Uint8Array) return parsed
  return encoder.encode(typeof parsed === 'string' ? parsed : JSON.stringify(parsed))
}

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
  const isRead = req.readableDidRead || req.readableEnded
  if (!isRead) return hasBody(req) ? readerOf(req) : undefined
  const body = parsed()
  const type = req.headers['content-type'] ?? ''
  // A form may have files, which are elsewhere.
  if (body === undefined || /^multipart\//i.test(type)) {
    return () => Promise.reject(new TypeError(readElsewhere))
  }
  let left: Uint8Array | undefined = bytesOf(body)
  return async () => {
    const bytes = left
    left = undefined
    return bytes
  }
}
