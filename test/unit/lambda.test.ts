import { describe, expect, it } from 'vitest'
import { requestOf } from '../../src/adapters/lambda/event.ts'
import { responseOf } from '../../src/adapters/lambda/response.ts'
import { resultOf } from '../../src/adapters/lambda/result.ts'

// Lambda is converted at the edge: all other code sees only requests and responses.

const shown = async (request: Request) => ({
  method: request.method,
  path: new URL(request.url).pathname,
  query: new URL(request.url).search,
  accept: request.headers.get('accept'),
  body: await request.text(),
})

describe('an event as a request', () => {
  it.each<[string, object, object]>([
    [
      'an HTTP API',
      {
        rawPath: '/a b/ü',
        rawQueryString: 'x=1&y=%20',
        headers: { accept: 'text/plain' },
        requestContext: { http: { method: 'PUT' } },
        body: 'text',
      },
      {
        method: 'PUT',
        path: '/a%20b/%C3%BC',
        query: '?x=1&y=%20',
        accept: 'text/plain',
        body: 'text',
      },
    ],
    [
      'a REST API, whose lists stand in place of single values',
      {
        httpMethod: 'POST',
        path: '/orders',
        queryStringParameters: { x: '2' },
        multiValueQueryStringParameters: { x: ['1', '2'] },
        headers: { Accept: 'text/plain' },
        multiValueHeaders: { Accept: ['text/html', 'text/plain'] },
        body: btoa('bytes'),
        isBase64Encoded: true,
      },
      {
        method: 'POST',
        path: '/orders',
        query: '?x=1&x=2',
        accept: 'text/html, text/plain',
        body: 'bytes',
      },
    ],
    [
      'one that is not of HTTP',
      { Records: [] },
      { method: 'GET', path: '/', query: '', accept: null, body: '' },
    ],
    [
      'one with what no request can have',
      {
        httpMethod: 'TRACE',
        path: '/',
        headers: { 'a b': '1', x: '日本', accept: '*/*' },
        body: null,
      },
      { method: 'OPTIONS', path: '/', query: '', accept: '*/*', body: '' },
    ],
  ])('is that of %s', async (_, event, expected) => {
    expect(await shown(requestOf(event))).toEqual(expected)
  })

  it('has its body decoded only when it is read', async () => {
    const event = { httpMethod: 'POST', path: '/', body: '***', isBase64Encoded: true }
    const request = requestOf(event)
    expect(request.headers.get('accept')).toBeNull()
    await expect(request.text()).rejects.toBeInstanceOf(Error)
  })

  it.each([undefined, null, 5, 'text'])('is made of %j as well', async (event) => {
    expect(await shown(requestOf(event))).toMatchObject({ method: 'GET', path: '/' })
  })
})

it('a result becomes a response, and a response a result, without a loss', async () => {
  const result = {
    statusCode: 201,
    headers: { 'content-type': 'application/octet-stream', 'x-a': '1' },
    body: btoa('\u00ff\u0000'),
    isBase64Encoded: true,
  }
  expect(await resultOf({}, responseOf(result))).toEqual(result)
})
