import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { canonicalJson, idempotent, withIdempotency } from '../../src/entries/idempotency.ts'
import { freshKey, redlock } from '../options/call.ts'

// Which payloads are one with `fingerprint: canonicalJson`.

const options = { redlock, scope: () => 'all', fingerprint: canonicalJson }
const handle = withIdempotency(options, () => new Response(freshKey()))

type Payload = string | Uint8Array<ArrayBuffer>

const requestOf = (key: string, body: Payload, type = 'application/json', path = '/'): Request =>
  new Request(`https://a.example${path}`, {
    method: 'POST',
    body,
    headers: { 'idempotency-key': key, 'content-type': type },
  })

/** Whether two payloads are one: the second gets the answer to the first; or else 422. */
const areSame = async (first: Payload, second: Payload, type?: string): Promise<boolean> => {
  const key = freshKey()
  const answer = await handle(requestOf(key, first, type))
  const own = await answer.text()
  const again = await handle(requestOf(key, second, type))
  if (again.status === 422) return false
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toBe(own)
  return true
}

const nested = (depth: number, inner: string): string =>
  '[{"a":'.repeat(depth) + inner + '}]'.repeat(depth)
const two = (depth: number): [string, string] => [
  nested(depth, '{"b":1,"c":2}'),
  nested(depth, '{"c":2,"b":1}'),
]

it.each<[string, Payload, Payload, boolean, string?]>([
  ['members in another order', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}', true],
  ['members with numbers as names', '{"10":1,"9":2,"a":3}', '{"a":3,"9":2,"10":1}', true],
  ['white space', '{"a":[1,2]}', ' {\n"a" : [1,\t2] }\n', true],
  ['numbers written in another way', '[1,100,0]', '[1.0,1e2,-0]', true],
  ['escaped text', '["é/"]', String.raw`["\u00e9\/"]`, true],
  ['a mark of the byte order', '{"a":1}', '\ufeff{"a":1}', true],
  ['a type with a suffix', '{"a":1,"b":2}', '{"b":2,"a":1}', true, 'application/vnd.api+json'],
  [
    'a type with parameters',
    '{"a":1,"b":2}',
    '{"b":2,"a":1}',
    true,
    'Application/JSON; charset=utf-8',
  ],
  ['nested deeply', ...two(200), true],
  ['nested too deeply', ...two(400), false],
  ['nested far too deeply', ...two(50_000), false],
  ['elements in another order', '[1,2]', '[2,1]', false],
  ['another value', '{"a":1}', '{"a":2}', false],
  ['a number and text', '{"a":1}', '{"a":"1"}', false],
  ['null and nothing', '{"a":null}', '{}', false],
  ['an object and a list', '{}', '[]', false],
  ['names that hold the signs of JSON', '{"a":1,"b":2}', String.raw`{"a\":1,\"b":2}`, false],
  ['__proto__', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', false],
  ['numbers beyond doubles', '[1e400]', '[null]', false],
  ['numbers beyond doubles, of two kinds', '[1e400]', '[2e400]', false],
  ['a lone surrogate', String.raw`["\ud800"]`, String.raw`["\ud801"]`, false],
  ['no text in UTF-8', new Uint8Array([34, 200, 34]), new Uint8Array([34, 201, 34]), false],
  ['no JSON', '{"a":1,"b"', '{"b":1,"a"', false],
  ['an empty body', '', '', true],
  ['another type', '{"a":1,"b":2}', '{"b":2,"a":1}', false, 'text/plain'],
  ['a form', 'a=%31', 'a=1', true, 'application/x-www-form-urlencoded'],
])('%s', async (_, first, second, same, type) => {
  expect(await areSame(first, second, type)).toBe(same)
  expect(await areSame(first, first, type)).toBe(true)
})

it('any value is the same in any order, and another one is not', async () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || !value) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, one]) => [name, shuffled(one)]),
    )
  }
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
      const text = JSON.stringify(one)
      expect(await areSame(text, JSON.stringify(shuffled(one), null, 2))).toBe(true)
      const [a, b] = [one, other].map((given): unknown => JSON.parse(JSON.stringify(given)))
      expect(await areSame(text, JSON.stringify(other))).toBe(isDeepStrictEqual(a, b))
    }),
    { numRuns: 50 },
  )
})

it('another query is another payload, and a payload over `maxPayload` gets 413', async () => {
  const key = freshKey()
  await handle(requestOf(key, '{}'))
  expect((await handle(requestOf(key, '{}', undefined, '/?a=1'))).status).toBe(422)
  const small = withIdempotency({ ...options, maxPayload: 10 }, () => new Response())
  expect((await small(requestOf(freshKey(), '{"a":"0123456789"}'))).status).toBe(413)
})

it('works for Hono, and leaves the body to the handler', async () => {
  const app = new Hono().post('/', idempotent(options), async (c) => c.json(await c.req.json()))
  const key = freshKey()
  const first = await app.request(requestOf(key, '{"a":1,"b":2}'))
  const second = await app.request(requestOf(key, '{"b":2,"a":1}'))
  expect([await first.json(), await second.json()]).toEqual([
    { a: 1, b: 2 },
    { a: 1, b: 2 },
  ])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
})

it('without it, another order is another payload', async () => {
  const { fingerprint: _, ...usual } = options
  const plain = withIdempotency(usual, () => new Response())
  const key = freshKey()
  await plain(requestOf(key, '{"a":1,"b":2}'))
  expect((await plain(requestOf(key, '{"b":2,"a":1}'))).status).toBe(422)
})
