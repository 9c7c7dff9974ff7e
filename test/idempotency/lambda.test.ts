import { expect, it } from 'vitest'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

// The results of a handler on Lambda, as API Gateway reads them.

const nodes = realNodes.slice(0, 3)
const redlock = new Redlock({ nodes, warnings: false })

type Result = { statusCode: number; headers?: Record<string, string>; body: string }

const eventOf = (key: string) => ({
  version: '2.0',
  rawPath: '/orders',
  rawQueryString: '',
  headers: { 'idempotency-key': key },
  requestContext: { http: { method: 'POST' } },
})

const twice = async (result: unknown) => {
  let runs = 0
  const handle = withIdempotency({ redlock, scope: () => 'user' }, (_event: object) => {
    runs++
    return result
  })
  const key = freshKey()
  const first = await handle(eventOf(key))
  const replay = (await handle(eventOf(key))) as Result
  return { first, replay, runs }
}

it.each<[string, unknown, number, string]>([
  ['no body', { statusCode: 201 }, 201, ''],
  ['a body that is null', { statusCode: 201, body: null }, 201, ''],
  ['a body where there can be none', { statusCode: 204, body: '{}' }, 204, ''],
  ['a status as text', { statusCode: '201', body: 'a' }, 201, 'a'],
  [
    'a header that is undefined',
    { statusCode: 201, headers: { etag: undefined }, body: 'a' },
    201,
    'a',
  ],
  ['headers of fetch', { statusCode: 201, headers: new Headers(), body: 'a' }, 201, 'a'],
  ['a map of headers', { statusCode: 201, headers: new Map(), body: 'a' }, 201, 'a'],
  ['a text without a status', 'Hello', 200, 'Hello'],
  ['an object without a status', { id: 1 }, 200, '{"id":1}'],
])('replays a result with %s', async (_, result, status, body) => {
  const { first, replay, runs } = await twice(result)
  expect(first).toBe(result)
  expect([replay.statusCode, replay.body, runs]).toEqual([status, body, 1])
  expect(replay.headers?.['etag']).toBeUndefined()
})

it('takes several values of a header in place of a single one', async () => {
  const headers = { 'Content-Type': 'text/html' }
  const multiValueHeaders = { 'content-type': ['text/plain'] }
  const { replay } = await twice({ statusCode: 200, headers, multiValueHeaders, body: 'a' })
  expect(replay.headers?.['content-type']).toBe('text/plain')
})

it.each<[string, unknown]>([
  ['a header that cannot be sent', { statusCode: 201, headers: { etag: '日本' }, body: 'a' }],
  ['an object as its body', { statusCode: 201, body: { id: 1 } }],
  ['base64 that is none', { statusCode: 201, body: '***', isBase64Encoded: true }],
  ['a status that is none', { statusCode: 700, body: '' }],
  ['a bigint', { id: 1n }],
])('never runs again after a result with %s', async (_, result) => {
  const { first, replay, runs } = await twice(result)
  expect(first).toBe(result)
  expect([replay.statusCode, runs]).toEqual([409, 1])
})

it('a function for requests must return a Response', async () => {
  const handle = withIdempotency({ redlock, scope: () => 'user' }, () => undefined as never)
  const headers = { 'idempotency-key': freshKey() }
  const request = new Request('https://example.com', { method: 'POST', headers })
  await expect(handle(request)).rejects.toThrow('`handler`')
})

it('a request whose body was read before says so', async () => {
  const handle = withIdempotency({ redlock, scope: () => 'user' }, () => new Response())
  const headers = { 'idempotency-key': freshKey() }
  const request = new Request('https://example.com', { method: 'POST', headers, body: 'a' })
  await request.text()
  await expect(handle(request)).rejects.toThrow('The body of the request has been read before')
})
