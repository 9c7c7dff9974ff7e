import { fromBase64 } from '../../util/bytes.ts'
import { madeRequest } from '../../util/made-request.ts'
import { assertOption } from '../../util/validate.ts'

/** The events of API Gateway, function URLs and load balancers. */
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

/** @throws `TypeError` if it is not an HTTP event. */
export const checkHttpEvent = (given: unknown): void => {
  const event = Object(given) as HttpEvent
  const isHttp = typeof methodOf(event) === 'string' && typeof pathOf(event) === 'string'
  const expected =
    'a Request, an HTTP event of Lambda, or an event with a Request: ' +
    'pass `event.request` (`toWebRequest(event)` of h3)'
  assertOption(isHttp, 'input', expected, given)
}

/** The names and values, with a pair for each value. */
const pairsOf = (all: Values | undefined): [name: string, value: string][] =>
  Object.entries(all ?? {}).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  )

/** The request that an HTTP event represents. */
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
    // Headers with several values per name take precedence over those with one.
    headers: pairsOf(multiValueHeaders ?? event.headers),
    read: body ? read : undefined,
  })
}
