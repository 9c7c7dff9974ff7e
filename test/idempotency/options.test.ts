import { expect, it } from 'vitest'
import { d1Store, kvStore, r2Store, withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

const redlock = new Redlock({ nodes: memoryNodes(3) })
const scope = (): string => 'user'
const good = { redlock, scope }

it('rejects a handler that is none', () => {
  expect(() => withIdempotency(good, undefined as never)).toThrow(/`handler`/)
})

it.each<[string, () => unknown, RegExp]>([
  ['KV', () => kvStore({} as never), /`kv.put`/],
  ['R2', () => r2Store(undefined as never), /`bucket.put`/],
  ['D1', () => d1Store({} as never), /`db.prepare`/],
])('rejects what is not %s', (_, make, message) => {
  expect(make).toThrow(message)
})

it.each([undefined, '', 7, null])('throws for a request whose scope is %j', async (value) => {
  const handle = withIdempotency({ redlock, scope: () => value as string }, () => new Response())
  const request = new Request('https://example.com', {
    method: 'POST',
    headers: { 'idempotency-key': 'k' },
  })
  await expect(handle(request)).rejects.toThrow(/`scope\(\.\.\.\)` must be text; got /)
})
