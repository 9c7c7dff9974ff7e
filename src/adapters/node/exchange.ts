import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

/**
 * The common part of requests of Node, Express and Fastify. Functions get the request itself: give their parameter its
 * type, such as `Request` of Express.
 */
export type NodeRequest = {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The common part of responses of Node, Express and Fastify. */
export type NodeResponse = { statusCode: number }

/** The parts of a Fastify reply that are used. */
type FrameworkReply = {
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
  readonly path: string
  /** The reply of Fastify, which has separate headers. */
  readonly reply: FrameworkReply | undefined
  /** The result of a parser for the body; undefined if there was none. */
  readonly parsed: () => unknown
}

/** Whether an object has a method. Node's objects always have theirs, whatever else an app has added to them. */
const can = (given: object, method: string): boolean =>
  typeof (given as Readonly<Record<string, unknown>>)[method] === 'function'

/** The Node request behind a request of Fastify or Koa. */
export const rawRequest = (req: NodeRequest): IncomingMessage => {
  if (can(req, 'on')) return req as IncomingMessage
  if ('raw' in req) return req.raw as IncomingMessage
  return ('req' in req ? req.req : req) as IncomingMessage
}

/** The full path: a router or a mount removes its part from `url`. Koa keeps the full path only on its own request. */
const pathOf = (given: NodeRequest, req: IncomingMessage): string => {
  const { originalUrl } = ('originalUrl' in req ? req : given) as { readonly originalUrl?: string }
  const path = originalUrl ?? req.url ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

export const exchangeOf = (req: NodeRequest, res: NodeResponse): Exchange => {
  const reply = 'raw' in res && !can(res, 'end') ? (res as unknown as FrameworkReply) : undefined
  const raw = rawRequest(req)
  return {
    req: raw,
    path: pathOf(req, raw),
    res: reply?.raw ?? (res as ServerResponse),
    reply,
    parsed: () => (req as { readonly body?: unknown }).body,
  }
}

/** The headers that are set on a Node response. */
export const headersOf = (given: OutgoingHttpHeaders): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(given)) {
    // HTTP/2 keeps the status among them.
    if (name.startsWith(':')) continue
    for (const value of [values ?? []].flat()) headers.append(name, `${value}`)
  }
  return headers
}
