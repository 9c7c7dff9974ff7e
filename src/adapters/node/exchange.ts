import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

/**
 * The common part of Node, Express and Fastify requests. Option functions receive the request itself, so you can
 * annotate their parameter with its type, such as `Request` from Express.
 */
export type NodeRequest = {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The common part of Node, Express and Fastify responses. */
export type NodeResponse = { statusCode: number }

/** The parts of a Fastify reply that this adapter uses. */
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
  /** The Fastify reply, which has its own headers. */
  readonly reply: FrameworkReply | undefined
  /** Returns the body as a parser left it in `req.body`; undefined if no parser ran. */
  readonly parsed: () => unknown
}

/** Whether an object has a method. Methods identify Node objects even if an app has added properties such as `raw`. */
const can = (given: object, method: string): boolean =>
  typeof (given as Readonly<Record<string, unknown>>)[method] === 'function'

/** The Node request behind a Fastify or Koa request. */
export const rawRequest = (req: NodeRequest): IncomingMessage => {
  if (can(req, 'on')) return req as IncomingMessage
  if ('raw' in req) return req.raw as IncomingMessage
  return ('req' in req ? req.req : req) as IncomingMessage
}

/** The full path. Routers and mounts shorten `url`, and Koa keeps the full path only on its own request. */
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
    // Over HTTP/2, the headers include pseudo-headers such as `:status`.
    if (name.startsWith(':')) continue
    for (const value of [values ?? []].flat()) headers.append(name, `${value}`)
  }
  return headers
}
