import { concat, fromBase64, mayHaveBody } from '../../util/bytes.ts'

type Value = string | number | boolean | null | undefined

/** The result of a Lambda handler for an HTTP event. */
type HttpResult = {
  readonly statusCode?: number | string
  readonly headers?: Readonly<Record<string, Value>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly Value[] | null>> | null
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

/** The headers of a result. If both properties set a header, `multiValueHeaders` takes precedence. */
const headersOfResult = ({ headers, multiValueHeaders }: HttpResult): Headers => {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined && value !== null) all.set(name, String(value))
  }
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    all.delete(name)
    for (const value of values ?? []) all.append(name, String(value))
  }
  return all
}

/**
 * Creates the response that the AWS service derives from a result. A result without a `statusCode` is the body of a
 * 200: text is sent unchanged, anything else as JSON.
 *
 * @throws if the result is not a valid response, for example because of an invalid header.
 */
export const responseOf = (result: unknown): Response => {
  const { statusCode, body, isBase64Encoded, ...rest } = Object(result) as HttpResult
  const status = Number(statusCode)
  if (Number.isNaN(status)) {
    const text = typeof result === 'string' ? result : JSON.stringify(result ?? null)
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }
  const text = body ?? ''
  if (typeof text !== 'string') throw new TypeError('The body of a result must be a string')
  const bytes = isBase64Encoded ? fromBase64(text) : concat([new TextEncoder().encode(text)])
  const content = mayHaveBody(status) && bytes.length > 0 ? bytes : null
  return new Response(content, { status, headers: headersOfResult(rest) })
}
