import { toBase64 } from '../../util/bytes.ts'

/** The parts of a Lambda event that identify the AWS service that sent it. */
type LambdaEvent = {
  readonly multiValueHeaders?: unknown
  readonly requestContext?: { readonly http?: unknown; readonly elb?: unknown }
}

type ResultHeaders = Readonly<Record<string, string>>

/** A result that the service converts to the response for its client. */
type LambdaResult = {
  readonly statusCode: number
  readonly headers?: ResultHeaders
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly cookies?: readonly string[]
  readonly body: string
  readonly isBase64Encoded?: true
}

const setCookie = 'set-cookie'

/**
 * Returns `set-cookie` with an upper-case letter for each set bit of the number, so that up to 512 cookies have
 * distinct header names.
 */
const nameOfCookie = (number: number): string => {
  let bits = number
  return setCookie.replace(/[a-z]/g, (char) => {
    const isUpper = bits % 2 === 1
    bits >>= 1
    return isUpper ? char.toUpperCase() : char
  })
}

/** The headers in the format of the service. The services differ in how they accept multiple cookies. */
const headersFor = (
  { multiValueHeaders, requestContext }: LambdaEvent,
  headers: ResultHeaders,
  cookies: readonly string[],
): Pick<LambdaResult, 'headers' | 'multiValueHeaders' | 'cookies'> => {
  // HTTP APIs and function URLs have a separate list of cookies.
  if (requestContext?.http) return cookies[0] ? { headers, cookies } : { headers }
  // REST APIs, and load balancers with multi-value headers enabled.
  if (multiValueHeaders) {
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]] as const)
    const ofCookies = cookies[0] ? { [setCookie]: cookies } : {}
    return { multiValueHeaders: { ...Object.fromEntries(lists), ...ofCookies } }
  }
  // Other load balancers accept only one value per name, but treat names as case-sensitive.
  if (requestContext?.elb || cookies.length < 2) {
    const named = cookies.map((cookie, number) => [nameOfCookie(number), cookie] as const)
    return { headers: { ...headers, ...Object.fromEntries(named) } }
  }
  return { headers, multiValueHeaders: { [setCookie]: cookies } }
}

/** The body as text, or in base64 if it is not text. */
const bodyOf = async (
  response: Response,
): Promise<Pick<LambdaResult, 'body' | 'isBase64Encoded'>> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { body: toBase64(bytes), isBase64Encoded: true }
  }
}

/**
 * Converts a response to the result of a Lambda function: the plain object that API Gateway, function URLs and load
 * balancers expect.
 *
 * @see {@link https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html}
 * @see {@link https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html}
 */
export const resultOf = async (event: unknown, response: Response): Promise<LambdaResult> => {
  const { [setCookie]: _, ...headers } = Object.fromEntries(response.headers)
  return {
    statusCode: response.status,
    ...headersFor(Object(event) as LambdaEvent, headers, response.headers.getSetCookie()),
    ...(await bodyOf(response)),
  }
}
