import type { IncomingMessage } from 'node:http'

/** The response of a function to API Gateway. */
export type ProxyResult = {
  readonly statusCode: number
  readonly headers?: Record<string, string>
  readonly multiValueHeaders?: Record<string, string[]>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/**
 * A request as API Gateway passes it to a function: payload 1.0 of REST APIs, or 2.0 of HTTP APIs and function URLs.
 *
 * @see {@link https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html}
 */
export const eventOf = async (
  request: IncomingMessage,
  mode: 'v1' | 'v2' | 'stream',
): Promise<object> => {
  const url = new URL(request.url!, 'http://lambda.test')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const method = request.method!
  const bytes = Buffer.concat(await request.toArray())
  // API Gateway encodes bodies that may not be text.
  const payload = {
    body: bytes.length > 0 ? bytes.toString('base64') : null,
    isBase64Encoded: bytes.length > 0,
  }
  if (mode === 'v1') {
    return {
      version: '1.0',
      resource: '/{proxy+}',
      path: url.pathname,
      httpMethod: method,
      headers,
      multiValueHeaders: {},
      queryStringParameters: Object.fromEntries(url.searchParams),
      multiValueQueryStringParameters: Object.fromEntries(
        [...url.searchParams].map(([name, value]) => [name, [value]]),
      ),
      pathParameters: null,
      stageVariables: null,
      requestContext: { httpMethod: method, path: url.pathname, identity: {} },
      ...payload,
    }
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers,
    requestContext: { http: { method, path: url.pathname }, domainName: 'lambda.test' },
    ...payload,
  }
}
