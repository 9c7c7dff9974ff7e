import { expect, it } from 'vitest'
import { type BodyStore, bodyStore, withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { appWith } from './app.ts'
import { realNodes } from '../support/real-nodes.ts'

// The store takes no longer than the platform has left, and is tried again while there is time.

const nodes = realNodes.slice(0, 3)
const redlock = new Redlock({ nodes, warnings: false })
const never = new Promise<never>(() => {})
const body = 'x'.repeat(20_000)

it.each<[string, BodyStore, number]>([
  ['put', bodyStore({ put: () => never, get: () => never }), 409],
  ['get', bodyStore({ put: async () => {}, get: () => never }), 503],
])('a `%s` that hangs ends before the function does', async (_, store, status) => {
  let runs = 0
  const handle = withIdempotency({ redlock, scope: () => 'user', store }, (_event: object) => {
    runs++
    return { statusCode: 201, body }
  })
  const event = {
    rawPath: '/orders',
    headers: { 'idempotency-key': freshKey() },
    requestContext: { http: { method: 'POST' } },
  }
  const call = async () => {
    const end = Date.now() + 3_000
    const context = { getRemainingTimeInMillis: () => end - Date.now() }
    const answer = (await handle(event, {}, context)) as { statusCode: number }
    return { status: answer.statusCode, left: context.getRemainingTimeInMillis() }
  }
  const [first, replay] = [await call(), await call()]
  expect([first.status, replay.status, runs]).toEqual([201, status, 1])
  expect(first.left).toBeGreaterThan(0)
  expect(replay.left).toBeGreaterThan(0)
})

it('a store that fails or is late once gives the answer', async () => {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const tries = { put: 0, get: 0 }
  const store = bodyStore({
    put: (id, bytes) => {
      if (++tries.put === 1) throw new Error('overloaded')
      kept.set(id, bytes)
      return Promise.resolve()
    },
    get: async (id) => {
      tries.get++
      if (tries.get === 1) throw new Error('overloaded')
      return tries.get === 2 ? null : kept.get(id)
    },
  })
  const app = appWith(redlock, () => new Response(body), { store, wait: 10_000 })
  const key = freshKey()
  await app.post(key)
  const replay = await app.post(key)
  expect([replay.status, await replay.text()]).toEqual([200, body])
  expect(tries).toEqual({ put: 2, get: 3 })
})
