import { concat } from '../util/bytes.ts'
import { madeRequest } from '../util/made-request.ts'
import { isMessage, isRedirect, redirectTo } from '../util/thrown-answer.ts'

// h3 1 keeps the body that it has read by this symbol, and reads it from there.
const rawBody: unique symbol = Symbol.for('h3RawBody')

type NodeRequest = AsyncIterable<Uint8Array> & { [rawBody]?: Promise<Uint8Array> }

/** An event of h3 1, as Nuxt and Nitro pass it. */
type H3Event = {
  readonly path: string
  readonly method: string
  readonly headers: Headers
  readonly handled: boolean
  readonly web?: { readonly request?: Request }
  readonly node: {
    readonly req: NodeRequest
    readonly res: {
      readonly statusCode: number
      readonly headersSent: boolean
      readonly getHeader?: (name: string) => unknown
    }
  }
}

/** Whether it is an event of h3 1. One of h3 2 has its request as `req`. */
export const isH3Event = (given: unknown): given is H3Event => {
  const { node, method, path, headers } = Object(given) as Partial<H3Event>
  return (
    typeof Object(node).req === 'object' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof headers?.get === 'function'
  )
}

const collectParts = async (req: NodeRequest): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  for await (const part of req) parts.push(part)
  // `readBody` of h3 takes a Buffer, which Node alone has.
  const { Buffer } = globalThis as { Buffer?: { from: (bytes: Uint8Array) => Uint8Array } }
  const bytes = concat(parts)
  return Buffer?.from(bytes) ?? bytes
}

/** The request that an event stands for. What is read of its body is left to `readBody` of the handler. */
export const requestOfH3 = ({ path, method, headers, node, web }: H3Event): Request => {
  if (isMessage(web?.request)) return web!.request!
  let isRead = false
  return madeRequest({
    url: new URL(`http://h3${path}`),
    method,
    headers,
    read: async () => {
      if (isRead) return undefined
      isRead = true
      const bytes = await (node.req[rawBody] ??= collectParts(node.req))
      return bytes.length > 0 ? new Uint8Array(bytes) : undefined
    },
  })
}

/** What a handler has sent by itself; undefined if it has sent nothing. @throws `TypeError` if nobody can tell. */
const sentResponse = ({ handled, node }: Partial<H3Event>): Response | undefined => {
  if (!handled && !node?.res.headersSent) return undefined
  const location = node?.res.getHeader?.('location')
  const status = node?.res.statusCode ?? 0
  // What `sendRedirect` has sent says all that a repeated request needs.
  if (typeof location === 'string' && isRedirect(status)) return redirectTo(status, location)
  throw new TypeError('the handler has answered by itself: return a Response, or data')
}

/** Whether h3 sends it as JSON. */
const isJson = (result: unknown): boolean =>
  ['number', 'boolean'].includes(typeof result) ||
  Array.isArray(result) ||
  (typeof result === 'object' && Object.getPrototypeOf(result) === Object.prototype)

/** The response that h3 makes of what a handler has returned. @throws `TypeError` if it is no data. */
export const responseOfH3 = (event: unknown, result: unknown): Response => {
  const given = event as Partial<H3Event> & { readonly res?: { readonly status?: number } }
  const sent = sentResponse(given)
  if (sent) return sent
  const status = given.res?.status ?? given.node?.res.statusCode ?? 200
  if (result === null) return new Response(null, { status: 204 })
  if (typeof result === 'string') {
    return new Response(result, { status, headers: { 'content-type': 'text/html' } })
  }
  if (isJson(result)) return Response.json(result, { status })
  throw new TypeError('the handler has returned neither data nor a Response')
}
