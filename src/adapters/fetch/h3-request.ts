import { madeRequest } from '../../util/made-request.ts'
import { partsOf, type Payload } from './h3-body.ts'
import type { H3Event } from './h3-event.ts'

// Bodies up to this size, in bytes, are read to their end, so that the client can reuse its connection.
const maxDrain = 16 * 2 ** 20

/**
 * Discards the rest of a payload that was too large. Closes the connection if the payload exceeds `maxDrain`, or does
 * not state its length.
 */
const dropRest = ({ headers, node }: H3Event, payload: Payload): void => {
  if (!payload.isOpen()) return
  const isShort = Number(headers.get('content-length') ?? Infinity) <= maxDrain
  if (!isShort) node.res.setHeader?.('connection', 'close')
  payload.drop()
}

/** Creates the request of an event on demand. The handler can still read the body with `readBody`. */
export const requestOfH3 = (
  event: H3Event,
): { readonly request: () => Request; readonly dropRest: () => void } => {
  const { path, method, headers, node, web } = event
  const payload = partsOf(event)
  const request = (): Request =>
    madeRequest({
      url: new URL(`http://h3${node.req.originalUrl ?? path}`),
      method,
      headers,
      read: payload.read,
      signal: web?.request?.signal,
    })
  return { request, dropRest: () => dropRest(event, payload) }
}
