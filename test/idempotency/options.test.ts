import { expect, it } from 'vitest'
import {
  d1Store,
  idempotent,
  kvStore,
  r2Store,
  withIdempotency,
} from '../../src/idempotency/index.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'

const redlock = new Redlock({ nodes: memoryNodes(3) })
const scope = (): string => 'user'
const good = { redlock, scope }

it.each<[string, object, RegExp]>([
  ['an unknown option', { ...good, retry: {} }, /Unknown option `retry` of idempotent\(\)/],
  ['no scope', { redlock }, /`scope` to be a function that returns the user or the tenant/],
  ['a text as scope', { redlock, scope: 'user' }, /`scope` to be a function/],
  ['no redlock', { scope }, /`redlock` to be a Redlock/],
  ['a header with a space', { ...good, header: 'a b' }, /`header`/],
  ['cookies', { ...good, headers: ['Set-Cookie'] }, /`headers` to be a list without set-cookie/],
  ['a header that is no name', { ...good, headers: ['a:'] }, /`headers`/],
  ['a large body without a store', { ...good, maxBody: 40_000 }, /`maxBody`.*`store`/],
  ['a store that is none', { ...good, store: {} }, /`store`/],
  ['a short recordTtl', { ...good, recordTtl: 999 }, /`recordTtl`/],
  ['a negative wait', { ...good, wait: -1 }, /`wait`/],
  ['a ttl that is too short', { ...good, ttl: 1 }, /`ttl`/],
  ['an unknown status', { ...good, statuses: { locked: 409 } }, /Unknown option `locked`/],
  ['a status of success', { ...good, statuses: { 'in-flight': 200 } }, /`statuses\['in-flight'\]`/],
  ['a shouldRecord that is no function', { ...good, shouldRecord: true }, /`shouldRecord`/],
  ['required that is no boolean', { ...good, required: 'yes' }, /`required`/],
])('rejects %s', (_, options, message) => {
  expect(() => idempotent(options as never)).toThrow(message)
  expect(() => withIdempotency(options as never, () => new Response())).toThrow(
    new RegExp(message.source.replace('idempotent', 'withIdempotency')),
  )
})

it('rejects a handler that is none', () => {
  expect(() => withIdempotency(good, undefined as never)).toThrow(/`handler`/)
})

it.each<[string, () => unknown, RegExp]>([
  ['KV', () => kvStore({} as never), /`kv.put`/],
  ['R2', () => r2Store(undefined as never), /`bucket.put`/],
  ['D1', () => d1Store({} as never), /`db.prepare`/],
  ['a table', () => d1Store({ prepare: () => null! }, { table: 'a; b' }), /`table`/],
  ['a prefix', () => kvStore({ put: null!, get: null! }, { prefix: 1 as never }), /`kv.put`/],
])('rejects what is not %s', (_, make, message) => {
  expect(make).toThrow(message)
})

it.each([undefined, '', 7, null])('throws for a request whose scope is %j', async (value) => {
  const handle = withIdempotency({ redlock, scope: () => value as string }, () => new Response())
  const request = new Request('https://example.com', {
    method: 'POST',
    headers: { 'idempotency-key': 'k' },
  })
  await expect(handle(request)).rejects.toThrow(/`scope` to be a function that returns text/)
})
