import { inject, describe, expect, it } from 'vitest'
import {
  forceRelease,
  inspect,
  isLockedError,
  Redlock,
  type RestNodeOptions,
  throttle,
  withKeyNames,
  withSlots,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { withLock } from '../../src/entries/fetch.ts'
import { command, freshKey } from '../support/nodes.ts'

// A key may hold what is no lock: data under a name of `withKeyNames`, or what an operator or another program has left
// there. It is called foreign, none of its characters is shown, and nobody is told to try again in a second for ever.

const nodes = (JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]).slice(0, 3)
const uuid = '1f0c7a52-0d1e-4b6e-9c4f-2a5d7e8b9c0d'
const aboutMinute = expect.closeTo(60_000, -3) as number

const values: Readonly<Record<string, string>> = {
  'JSON of a user': '{"email":"ada@example.com", "name":"Ada Lovelace"}',
  'a session in hex': 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
  'a number': '12345678901',
  'a word and text': 'customer-12345678 secret note',
  'a short word': 'on',
  nothing: '',
  'letters of a user': 'Привет, мир',
}

const store = {
  'on Redis': async (key: string, value: string, ttl?: number) => {
    const redlock = new Redlock({ nodes, retry: { attempts: 1 }, warnings: false })
    const expiry = ttl === undefined ? [] : ['PX', ttl]
    await Promise.all(nodes.map((node) => command(node, 'SET', key, value, ...expiry)))
    const read = (): Promise<unknown[]> =>
      Promise.all(nodes.map((node) => command(node, 'GET', key)))
    return { redlock, read }
  },
  'in memory': async (key: string, value: string, ttl = Infinity) => {
    const memory = memoryNodes(3)
    for (const { entries } of memory) entries.set(key, { value, expiresAt: Date.now() + ttl })
    const redlock = new Redlock({ nodes: memory, retry: { attempts: 1 }, warnings: false })
    return { redlock, read: async () => memory.map(({ entries }) => entries.get(key)?.value) }
  },
} as const

/** Expects that no word of the value is shown, nor its beginning. */
const expectHidden = (shown: unknown, value: string): void => {
  const text = JSON.stringify(shown, (_, one: unknown) =>
    one instanceof Error ? one.message : one,
  )
  for (const word of value.match(/\w{5,}/g) ?? []) expect(text).not.toContain(word.slice(0, 5))
}

describe.each(Object.entries(store))('foreign data %s', (_where, write) => {
  it.each(Object.entries({ ...values, 'a lock without expiry': `${uuid} worker 7` }))(
    'that never expires is called foreign: %s',
    async (_what, value) => {
      const key = freshKey().replaceAll('-', '.').toUpperCase()
      const { redlock, read } = await write(`lock:l:${key}`, value)
      const result = await redlock.tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'locked', retryAfter: aboutMinute })
      const nodesOf = result.ok ? [] : result.nodes
      for (const node of nodesOf) expect(node).not.toHaveProperty('holder')
      // A quorum has answered.
      expect(nodesOf.length).toBeGreaterThanOrEqual(2)
      expect(new Set(nodesOf.map(({ status }) => status))).toEqual(new Set(['foreign']))
      expectHidden(result, value)

      const error: unknown = await redlock.acquire(key).catch((reason: unknown) => reason)
      expect(isLockedError(error) && error.holder).toBeUndefined()
      expect(isLockedError(error) && error.message).toBe(
        `The lock on ["${key}"] is held by another program; the key never expires: delete it, or use another prefix (ERL02)`,
      )
      expectHidden(error, value)

      const seen = await inspect(redlock, key)
      expect(seen).toMatchObject({ state: 'foreign', ttl: Infinity })
      expect(seen).not.toHaveProperty('holder')
      expectHidden(seen, value)

      // It is data of somebody else.
      expect(await forceRelease(redlock, key)).toMatchObject({ state: 'kept' })
      expect(await forceRelease(redlock, key, { id: 'abcdefgh' })).toMatchObject({ state: 'kept' })
      expect(await read()).toEqual([value, value, value])
      expectHidden(await forceRelease(redlock, key), value)
    },
  )

  it.each(Object.entries(values))('that expires is called foreign: %s', async (_what, value) => {
    const key = freshKey().replaceAll('-', '.').toUpperCase()
    const { redlock } = await write(`lock:l:${key}`, value, 30_000)
    const error: unknown = await redlock.acquire(key).catch((reason: unknown) => reason)
    expect(isLockedError(error) && error.message).toMatch(
      /is held by another program; it can be free after [23]\d{4} ms \(ERL02\)$/,
    )
    expectHidden(error, value)
    const seen = await inspect(redlock, key)
    expect(seen).toMatchObject({ state: 'foreign', ttl: expect.closeTo(29_000, -4) })
    expectHidden(seen, value)
  })

  it.each([
    ['before', 'A', 'Z'],
    ['after', 'Z', 'A'],
  ])('is named where a lock has several keys, and stands %s a held one', async (_, own, of) => {
    const key = freshKey().replaceAll('-', '.').toUpperCase()
    const [foreign, held] = [`${key}.${own}`, `${key}.${of}`]
    const value = values['JSON of a user']!
    const { redlock, read } = await write(`lock:l:${foreign}`, value)
    const lock = await redlock.acquire(held, { ttl: 20_000 })
    const keys = [foreign, held].sort()
    const result = await redlock.tryAcquire(keys)
    expect(result).toMatchObject({ ok: false, reason: 'locked', retryAfter: aboutMinute })
    const error: unknown = await redlock.acquire(keys).catch((reason: unknown) => reason)
    expect(isLockedError(error) && error.message).toContain(
      'is held by another program; the key never expires',
    )
    expect(await inspect(redlock, keys)).toMatchObject({ state: 'foreign', ttl: Infinity })
    // The lock cannot come free, so its other keys stay as well.
    expect(await forceRelease(redlock, keys)).toMatchObject({ state: 'kept' })
    expect(await read()).toEqual([value, value, value])
    await lock.extend()
    expect(await lock.release()).toBe('released')
  })

  it('that expires is named where a held key lives longer', async () => {
    const key = freshKey().replaceAll('-', '.').toUpperCase()
    const { redlock } = await write(`lock:l:${key}.A`, values['a number']!, 5_000)
    const lock = await redlock.acquire(`${key}.Z`, { ttl: 20_000 })
    const keys = [`${key}.A`, `${key}.Z`]
    const error: unknown = await redlock.acquire(keys).catch((reason: unknown) => reason)
    expect(isLockedError(error) && error.message).toMatch(
      /is held by another program; it can be free after (?:1\d|20)\d{3} ms \(ERL02\)$/,
    )
    expect(await lock.release()).toBe('released')
  })

  it('is no lock of ours with another holder: that one is named', async () => {
    const key = freshKey()
    const { redlock } = await write(`lock:l:${key}`, `${uuid} worker 7`, 30_000)
    const seen = await inspect(redlock, key)
    expect(seen).toMatchObject({ state: 'locked', holder: '1f0c7a52', metadata: 'worker 7' })
  })

  it('blocks a window and a slot as well, and shows nothing', async () => {
    const value = values['JSON of a user']!
    const key = freshKey().replaceAll('-', '.').toUpperCase()
    const window = await write(`lock:t:${key}`, value)
    const passed = await throttle(window.redlock, key, { window: 1000 })
    expect(passed).toMatchObject({ ok: false, retryAfter: aboutMinute })
    expectHidden(passed, value)
    const slot = await write(`lock:l:${key}#1`, value)
    const slots = withSlots(slot.redlock)
    const rejected = await slots.tryAcquire(key, { limit: 1 })
    expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
    expectHidden(rejected, value)
  })

  it('tells a client over HTTP to come back in a minute', async () => {
    const key = freshKey()
    const { redlock } = await write(`lock:l:${key}`, values['JSON of a user']!)
    const handle = withLock({ redlock, key }, () => new Response('done'))
    const response = await handle(new Request('https://example.com'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, '60'])
    expectHidden(await response.text(), values['JSON of a user']!)
  })

  it('under the name of a lock keeps nobody out of other keys', async () => {
    const key = freshKey()
    const { redlock } = await write(`user:${key}`, values['a number']!)
    const named = withKeyNames(redlock, (one) => `user:${one}`)
    expect(await named.tryAcquire(key)).toMatchObject({ reason: 'locked', retryAfter: aboutMinute })
    const lock = await named.acquire(`${key} 2`)
    expect(await inspect(named, `${key} 2`)).toMatchObject({ state: 'locked', holder: lock.id })
    expect(await lock.release()).toBe('released')
  })
})

it('on one node, the message names the holder of the others, and the node with the key', async () => {
  const nodes = memoryNodes(3)
  const key = freshKey()
  nodes[0]!.entries.set(`lock:l:${key}`, { value: 'hello', expiresAt: Infinity })
  const redlock = new Redlock({ nodes, warnings: false })
  const lock = await redlock.acquire(key, { metadata: 'worker 7' })
  // Two answers are enough for a rejection.
  nodes[2]!.hang()
  const error: unknown = await redlock
    .acquire(key, { wait: 300 })
    .catch((reason: unknown) => reason)
  const message = isLockedError(error) ? error.message : ''
  expect(message).toContain(`is held by "worker 7" (${lock.id})`)
  expect(message).toContain(`the key never expires on ${nodes[0]!.name}`)
  expect(isLockedError(error) && error.holder).toBe(lock.id)
})
