import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

/**
 * A request of Node, of Express or of Fastify, with what they have in common. Functions get the request itself:
 * give their parameter its type, such as `Request` of Express.
 */
export type NodeRequest = {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The response to a request of Node, of Express or of Fastify, with what they have in common. */
export type NodeResponse = { statusCode: number }

/** The parts of a reply of Fastify that are used. */
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
  /** The reply of Fastify, which has headers of its own. */
  readonly reply: FrameworkReply | undefined
  /** What a parser has made of the body; undefined if there was none. */
  readonly parsed: () => unknown
}

/** Whether it has a method. Those of Node have theirs themselves, whatever else an app has put on them. */
const can = (given: object, method: string): boolean =>
  typeof (given as Readonly<Record<string, unknown>>)[method] === 'function'

/** The request of Node behind that of Fastify or of Koa. */
export const rawRequest = (req: NodeRequest): IncomingMessage => {
  if (can(req, 'on')) return req as IncomingMessage
  if ('raw' in req) return req.raw as IncomingMessage
  return ('req' in req ? req.req : req) as IncomingMessage
}

/** The path before a router or a mount leaves its own out of `url`. That of Koa is in its own request alone. */
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

/** Headers as they are set on a response of Node. */
export const headersOf = (given: OutgoingHttpHeaders): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(given)) {
    // HTTP/2 keeps the status among them.
    if (name.startsWith(':')) continue
    for (const value of [values ?? []].flat()) headers.append(name, `${value}`)
  }
  return headers
}
