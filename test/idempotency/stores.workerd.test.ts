import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import {
  bodyStore,
  d1Store,
  kvStore,
  r2Store,
  type BodyStore,
} from '../../src/entries/idempotency.ts'
import { freshKey } from '../support/nodes.ts'
import { answerOf, appWith } from './app.ts'
import { realNodes as nodes } from '../support/real-nodes.workerd.ts'

// The stores of Cloudflare, as workerd has them.

const large = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)

describe.each<[string, () => Promise<BodyStore>]>([
  ['KV', async () => kvStore(env.ANSWERS as never)],
  ['R2', async () => r2Store(env.BUCKET as never)],
  [
    'D1',
    async () => {
      const store = d1Store(env.DB as never)
      await (env.DB as { exec: (sql: string) => Promise<unknown> }).exec(store.schema)
      return store
    },
  ],
])('a store in %s', (_, make) => {
  it('keeps what is too large for Redis, and replays it unchanged', async () => {
    const store = await make()
    const { post, runs } = appWith(nodes, () => new Response(large, { status: 201 }), { store })
    const key = freshKey()
    const first = await answerOf(await post(key))
    const replay = await answerOf(await post(key))
    expect(first.bytes).toEqual([...large])
    expect(replay).toMatchObject({ status: 201, bytes: [...large], replayed: 'true' })
    expect(runs()).toBe(1)
  })

  it('has nothing under an id that it does not know', async () => {
    const store = await make()
    expect(await store.read({ id: 'unknown', sha256: '' }, 5_000)).toBeUndefined()
  })
})

it('a body of the store whose digest differs is not replayed', async () => {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const store = bodyStore({
    put: async (id, body) => kept.set(id, body),
    get: async (id) => kept.get(id),
  })
  const { post, runs } = appWith(nodes, () => new Response(large), { store })
  const key = freshKey()
  await post(key)
  for (const id of kept.keys()) kept.set(id, large.slice(1))
  const replay = await post(key)
  expect(replay.status).toBe(503)
  expect(replay.headers.get('retry-after')).toBe('1')
  expect(runs()).toBe(1)
})

it('an outage of the store costs the replay, and never a second run', async () => {
  const put = vi.fn(() => Promise.reject(new Error('down')))
  const get = vi.fn(() => Promise.reject(new Error('down')))
  const { post, runs } = appWith(nodes, () => new Response(large), {
    store: bodyStore({ put, get }),
  })
  const key = freshKey()
  expect((await answerOf(await post(key))).bytes).toEqual([...large])
  expect(put).toHaveBeenCalledTimes(2)
  expect((await post(key)).status).toBe(409)
  expect(runs()).toBe(1)
})

it.each(['ANSWERS', 'BUCKET'])('the binding %s itself is no store', (name) => {
  const store = env[name] as BodyStore
  expect(() => appWith(nodes, () => new Response(), { store })).toThrow('such as kvStore(binding)')
})
