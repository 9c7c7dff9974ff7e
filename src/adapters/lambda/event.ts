import { fromBase64 } from '../../util/bytes.ts'
import { madeRequest } from '../../util/made-request.ts'
import { assertOption } from '../../util/validate.ts'

/** An HTTP event from API Gateway, a function URL or a load balancer. */
type HttpEvent = {
  readonly httpMethod?: string
  readonly path?: string
  readonly rawPath?: string
  readonly rawQueryString?: string
  readonly queryStringParameters?: Values
  readonly multiValueQueryStringParameters?: Values
  readonly requestContext?: { readonly http?: { readonly method?: string } }
  readonly headers?: Values
  readonly multiValueHeaders?: Values
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

type Values = Readonly<Record<string, string | readonly string[] | null | undefined>> | null

const methodOf = ({ requestContext, httpMethod }: HttpEvent): string | undefined =>
  requestContext?.http?.method ?? httpMethod

const pathOf = ({ rawPath, path }: HttpEvent): string | undefined => rawPath ?? path

/** @throws `TypeError` if a value is not an HTTP event. */
export const checkHttpEvent = (given: unknown): void => {
  const event = Object(given) as HttpEvent
  const isHttp = typeof methodOf(event) === 'string' && typeof pathOf(event) === 'string'
  const expected =
    'a Request, a Lambda HTTP event, or an event with a Request: ' +
    'pass `event.request` (in h3, `toWebRequest(event)`)'
  assertOption(isHttp, 'input', expected, given)
}

/** The names and values as pairs, one for each value. */
const pairsOf = (all: Values | undefined): [name: string, value: string][] =>
  Object.entries(all ?? {}).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  )

/** Converts an HTTP event to a request. */
export const requestOf = (given: unknown): Request => {
  const event = Object(given) as HttpEvent
  const { multiValueHeaders, multiValueQueryStringParameters, body, isBase64Encoded } = event
  const parameters = multiValueQueryStringParameters ?? event.queryStringParameters
  const url = new URL('https://lambda')
  url.pathname = pathOf(event) ?? ''
  url.search = event.rawQueryString ?? `${new URLSearchParams(pairsOf(parameters))}`
  let left = body
  const read = async (): Promise<Uint8Array | undefined> => {
    const text = left
    left = undefined
    if (!text) return undefined
    return isBase64Encoded ? fromBase64(text) : new TextEncoder().encode(text)
  }
  return madeRequest({
    url,
    method: methodOf(event) ?? 'GET',
    // `multiValueHeaders` takes precedence, because `headers` has only one value per name.
    headers: pairsOf(multiValueHeaders ?? event.headers),
    read: body ? read : undefined,
  })
}
