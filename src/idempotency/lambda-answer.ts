import { concat, fromBase64 } from './bytes.ts'

/** The result of a handler of Lambda for an HTTP event. */
type HttpResult = {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string | number | boolean>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly (string | number | boolean)[]>>
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

const headersOf = ({ headers, multiValueHeaders }: HttpResult): Headers => {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers ?? {})) all.append(name, String(value))
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    for (const value of values) all.append(name, String(value))
  }
  return all
}

/**
 * The response that the service makes of a result. A result without a `statusCode` is the body of a
 * 200, in JSON.
 */
export const responseOfResult = (result: unknown): Response => {
  const given = Object(result) as HttpResult
  if (typeof given.statusCode !== 'number') {
    return Response.json(result ?? null)
  }
  const { statusCode: status, body = '', isBase64Encoded } = given
  const bytes = isBase64Encoded ? fromBase64(body) : concat([new TextEncoder().encode(body)])
  const isEmpty = bytes.length === 0
  return new Response(isEmpty ? null : bytes, { status, headers: headersOf(given) })
}
