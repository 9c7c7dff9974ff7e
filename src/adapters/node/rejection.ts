import { withEarlier } from '../../requests/with-headers.ts'
import { type Exchange, headersOf } from './exchange.ts'
import { drainPayload } from './payload.ts'

// The maximum number of bytes to read and discard, so that a client can reuse its connection.
const maxDrain = 16 * 2 ** 20

/**
 * Discards the rest of a payload that was too large. Otherwise, the rest would precede the next request on the
 * connection; Node discards only a payload that is completely unread. Closes the connection if the payload exceeds
 * `maxDrain`.
 */
const dropPayload = ({ req, res, reply }: Exchange): void => {
  if (!req.readableDidRead || req.complete || req.readableEnded) return
  const isShort = Number(req.headers['content-length']) <= maxDrain
  // Over HTTP/2, each request has its own stream, so the connection can stay open.
  if (!isShort && req.httpVersionMajor < 2) {
    if (reply) reply.header('connection', 'close')
    else res.setHeader('connection', 'close')
  }
  void drainPayload(req)
}

/** Sends a response to a request whose handler has not run. */
export const sendInstead = async (exchange: Exchange, response: Response): Promise<void> => {
  const { res, reply } = exchange
  // `onRejected` may have responded directly.
  if (res.headersSent || res.writableEnded) return
  const bytes = new Uint8Array(await response.arrayBuffer())
  const body = bytes.length > 0 ? bytes : undefined
  if (!reply) {
    const { status, headers } = withEarlier(response, headersOf(res.getHeaders()))
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    for (const [name, value] of headers) res.appendHeader(name, value)
    res.statusCode = status
    // Set the length here: if middleware has replaced `end`, it may write the body before the original `end`.
    if (body) res.setHeader('content-length', body.length)
    dropPayload(exchange)
    res.end(body)
    return
  }
  // Respond through Fastify, which has its own headers and runs hooks for responses.
  const earlier = headersOf(reply.getHeaders())
  reply.code(response.status)
  for (const [name, value] of withEarlier(response, earlier).headers) {
    if (name !== 'set-cookie' || !earlier.getSetCookie().includes(value)) reply.header(name, value)
  }
  dropPayload(exchange)
  reply.send(body)
}
