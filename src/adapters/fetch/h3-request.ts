import { madeRequest } from '../../util/made-request.ts'
import { partsOf, type Payload } from './h3-body.ts'
import type { H3Event } from './h3-event.ts'

// How many bytes to read and drop, so that a client can use its connection again.
const maxDrain = 16 * 2 ** 20

/** Reads the rest of a payload that was too large. If it is longer than `maxDrain`, the connection is closed. */
const dropRest = ({ headers, node }: H3Event, payload: Payload): void => {
  if (!payload.isOpen()) return
  const isShort = Number(headers.get('content-length') ?? Infinity) <= maxDrain
  if (!isShort) node.res.setHeader?.('connection', 'close')
  payload.drop()
}

/** The request of an event, made when it is read. Its body stays available to `readBody` in the handler. */
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
