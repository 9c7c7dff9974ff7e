import { assertOption } from '../util/validate.ts'
import { concat, fromBase64 } from './bytes.ts'
import type { HttpInput } from './http-input.ts'

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

/**
 * Reads an HTTP event of Lambda.
 *
 * @throws `TypeError` where it is none.
 */
export const eventInput = (given: unknown): HttpInput => {
  const event = Object(given) as HttpEvent
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
