import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** A request of Node, of Express, or of Fastify. */
export type NodeRequest = IncomingMessage | { readonly raw: IncomingMessage }

/** The response to a request of Node, of Express, or of Fastify. */
export type NodeResponse = ServerResponse | { readonly raw: ServerResponse }

/** The parts of a reply of Fastify that are used. */
type Reply = {
  readonly raw: ServerResponse
  readonly getHeaders: () => OutgoingHttpHeaders
  readonly code: (status: number) => unknown
  readonly header: (name: string, value: string) => unknown
  readonly send: (body: Uint8Array | undefined) => unknown
}

/** One request and its response. */
export type Exchange = {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The reply of Fastify, which has headers of its own. */
  readonly reply: Reply | undefined
  /** What a parser has made of the body; undefined if there was none. */
  readonly parsed: () => unknown
}

export const exchangeOf = (req: NodeRequest, res: NodeResponse): Exchange => {
  const parsed = (): unknown => (req as { readonly body?: unknown }).body
  return 'raw' in req && 'raw' in res
    ? { req: req.raw, res: res.raw, reply: res as Reply, parsed }
    : { req: req as IncomingMessage, res: res as ServerResponse, reply: undefined, parsed }
}

/** Headers as they are set on a response of Node. */
export const headersOf = (given: OutgoingHttpHeaders): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(given)) {
    for (const value of [values ?? []].flat()) headers.append(name, `${value}`)
  }
  return headers
}
