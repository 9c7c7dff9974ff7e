import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, spy, startGateway, token } from './support.ts'

const { commands, ...backend } = spy()
let server: Running

beforeAll(async () => {
  server = await startGateway(backend)
})
afterAll(() => server.close())

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']

const paths = [
  '/',
  '//',
  '/pipeline',
  '/pipeline/',
  '//pipeline',
  '/PIPELINE',
  '/%70ipeline',
  '/multi-exec',
  '/multi-exec/more',
  '/set/key/value',
  '/set/key?EX=100',
  '/get/%zz',
  '/monitor',
  '/subscribe/channel',
  '/no/such/route/at/all',
  '/favicon.ico',
  `/get/key?_token=${token}`,
]

const credentials: Record<string, string | undefined> = {
  'no header': undefined,
  'an empty header': '',
  'the scheme alone': 'Bearer',
  'a blank token': 'Bearer  ',
  'the bare token': token,
  'another scheme': `Basic ${btoa(`default:${token}`)}`,
  'another scheme with the token': `Token ${token}`,
  'a wrong token': 'Bearer wrong-token',
  'the start of the token': `Bearer ${token.slice(0, -1)}`,
  'the token and more': `Bearer ${token}1`,
  'the token and a word': `Bearer ${token} 1`,
  'two tokens': `Bearer wrong, Bearer ${token}`,
  'another case': `Bearer ${token.toUpperCase()}`,
  'characters that no token may contain': 'Bearer "\\',
}

const body = (method: string, path: string): string | null => {
  if (method === 'GET' || method === 'HEAD') return null
  return /pipeline|multi/i.test(path) ? '[["SET","key","value"]]' : '["SET","key","value"]'
}

const unauthenticated = (path: string, method: string, value?: string): Promise<Response> =>
  fetch(server.url + path, {
    method,
    body: body(method, path),
    headers: value === undefined ? {} : { authorization: value },
  })

test.each(Object.entries(credentials))('every route responds 401 to %s', async (_name, value) => {
  const answers = await Promise.all(
    methods.flatMap((method) =>
      paths.map(async (path) => {
        const response = await unauthenticated(path, method, value)
        const text = await response.text()
        return { method, path, status: response.status, text: method === 'HEAD' ? '-' : text }
      }),
    ),
  )
  expect(answers).toEqual(
    answers.map(({ method, path }) => ({
      method,
      path,
      status: 401,
      text: method === 'HEAD' ? '-' : '{"error":"WRONGPASS invalid or missing auth token"}',
    })),
  )
  expect(commands).toEqual([])
})

test('a 401 is JSON and names the scheme', async () => {
  const response = await unauthenticated('/pipeline', 'POST', 'Bearer wrong')
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
})

test('without a token, 401 comes before any check of the body', async () => {
  const large = await fetch(server.url, { method: 'POST', body: 'x'.repeat(2_000_000) })
  expect(large.status).toBe(401)
  const malformed = await fetch(server.url, { method: 'POST', body: '{' })
  expect(malformed.status).toBe(401)
})

test('with the token, the same requests reach Redis', async () => {
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
    commands.length = 0
    await server.request('/', { method: 'POST', body: '["A"]', headers: { authorization } })
    await server.request('/pipeline', {
      method: 'POST',
      body: '[["B"]]',
      headers: { authorization },
    })
    await server.request('/multi-exec', {
      method: 'POST',
      body: '[["C"]]',
      headers: { authorization },
    })
    await server.request('/d', { headers: { authorization } })
    expect(commands).toEqual([['A'], ['B'], ['C'], ['D']])
  }
})
