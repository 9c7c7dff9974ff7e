import { concat, fromBase64 } from './bytes.ts'
import { collect } from './collect.ts'
import { assertOption } from '../util/validate.ts'

/** A request as the middleware reads it, whatever the platform passes. */
export type HttpInput = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly header: (name: string) => string | undefined
  /** Reads the body, and leaves it to the handler; undefined where it is longer than the limit. */
  readonly body: (limit: number) => Promise<Body | undefined>
}

/** A body, and the type that it has where that is not the one of the request. */
export type Body = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType?: string | null
}

const ofRequest = (
  request: Request,
  readBody: (() => Promise<Response>) | undefined,
): HttpInput => {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    query: search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async (limit) => {
      if (request.bodyUsed && readBody) {
        const copy = await readBody()
        const bytes = new Uint8Array(await copy.arrayBuffer())
        const contentType = copy.headers.get('content-type')
        return bytes.length > limit ? undefined : { bytes, contentType }
      }
      const isUnread = !request.bodyUsed
      assertOption(
        isUnread,
        'request',
        'one whose body nobody has read before',
        'read',
        'one that was read',
      )
      const collected = await collect(request.clone().body, limit)
      if ('bytes' in collected) return collected
      collected.stream.cancel().catch(() => {})
      return undefined
    },
  }
}

/** The events of API Gateway, function urls and load balancers. */
type HttpEvent = {
  readonly httpMethod?: string
  readonly path?: string
  readonly rawPath?: string
  readonly rawQueryString?: string
  readonly queryStringParameters?: unknown
  readonly multiValueQueryStringParameters?: unknown
  readonly requestContext?: { readonly http?: { readonly method?: string } }
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

const ofEvent = (event: HttpEvent): HttpInput => {
  const { headers, multiValueHeaders, body, isBase64Encoded } = event
  const method = event.requestContext?.http?.method ?? event.httpMethod
  const path = event.rawPath ?? event.path
  const isHttp = typeof method === 'string' && typeof path === 'string'
  assertOption(isHttp, 'input', 'a Request or an HTTP event of Lambda', event)
  const parameters = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? ''
  const find = <T>(all: Readonly<Record<string, T>> | null | undefined, name: string) =>
    Object.entries(all ?? {}).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
  return {
    method,
    path,
    query: event.rawQueryString ?? JSON.stringify(parameters),
    header: (name) => find(multiValueHeaders, name)?.join(', ') ?? find(headers, name),
    body: async (limit) => {
      const text = body ?? ''
      const bytes = isBase64Encoded ? fromBase64(text) : concat([new TextEncoder().encode(text)])
      return bytes.length > limit ? undefined : { bytes }
    },
  }
}

/**
 * Reads what a platform passes.
 *
 * @param readBody - Makes a copy of the body where it has been read before.
 * @throws `TypeError` where it is neither a request nor an HTTP event.
 */
export const httpInputOf = (
  input: unknown,
  request: Request | undefined,
  readBody?: () => Promise<Response>,
): HttpInput => (request ? ofRequest(request, readBody) : ofEvent(Object(input) as HttpEvent))
