import { withEarlier } from '../../requests/with-headers.ts'
import { type Exchange, headersOf } from './exchange.ts'
import { drainPayload } from './payload.ts'

// The maximum number of bytes that are read and dropped, so that a client can use its connection again.
const maxDrain = 16 * 2 ** 20

/**
 * Reads the rest of a payload that was too large. Node does so only for an unread payload. Otherwise, the rest would
 * precede the next request on the connection. A longer payload closes the connection.
 */
const dropPayload = ({ req, res, reply }: Exchange): void => {
  if (!req.readableDidRead || req.complete || req.readableEnded) return
  const isShort = Number(req.headers['content-length']) <= maxDrain
  // HTTP/2 has a stream for each request.
  if (!isShort && req.httpVersionMajor < 2) {
    if (reply) reply.header('connection', 'close')
    else res.setHeader('connection', 'close')
  }
  void drainPayload(req)
}

/** Sends a response in place of the handler, which has not run. */
export const sendInstead = async (exchange: Exchange, response: Response): Promise<void> => {
  const { res, reply } = exchange
  // `onRejected` may have answered directly.
  if (res.headersSent || res.writableEnded) return
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = bytes.length > 0 ? bytes : undefined
  if (!reply) {
    const { status, headers } = withEarlier(response, headersOf(res.getHeaders()))
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    for (const [name, value] of headers) res.appendHeader(name, value)
    res.statusCode = status
    // Middleware that has replaced `end` may write the body before it.
    if (body) res.setHeader('content-length', body.length)
    dropPayload(exchange)
    res.end(body)
    return
  }
  // Fastify has its own headers, and hooks for sent responses.
  const earlier = headersOf(reply.getHeaders())
  reply.code(response.status)
  for (const [name, value] of withEarlier(response, earlier).headers) {
    if (name !== 'set-cookie' || !earlier.getSetCookie().includes(value)) reply.header(name, value)
  }
  dropPayload(exchange)
  reply.send(body)
}
