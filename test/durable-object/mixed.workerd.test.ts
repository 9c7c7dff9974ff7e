import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { once } from '../../src/entries/idempotency.ts'
import { Redlock, type RestNodeOptions, withSlots, withWakeUp } from '../../src/index.ts'
import { reject, withFault } from '../support/faults.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { objectServer } from './objects.ts'

// Two objects and one Redis server vote together.

const namespace = env.REDLOCK as RedlockNamespace
const objects = durableObjectNodes(namespace, { count: 2, name: 'two' })
const [redis] = JSON.parse(String(env.REDLOCK_NODES)) as [RestNodeOptions]
const nodes = [...objects, redis]
const servers = [...objects.map((node) => objectServer(namespace, node)), ...overRest([redis])]
const client = (): Redlock => new Redlock({ nodes })

it('all of them hold a lock, under one value, and all are released', async () => {
  const key = freshKey()
  const lock = await client().acquire(key)
  const { value } = lock
  await eventually(async () =>
    expect(await holders(servers, `lock:l:${key}`)).toEqual([value, value, value]),
  )
  expect(await client().tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
  expect(await lock.fencingToken()).toBeGreaterThan(0)
  expect(await lock.release()).toBe('released')
  await eventually(async () =>
    expect(await holders(servers, `lock:l:${key}`)).toEqual([null, null, null]),
  )
})

it('a burst has one winner', async () => {
  for (let burst = 0; burst < 10; burst++) {
    const key = freshKey()
    const results = await Promise.all([1, 2, 3, 4].map(() => client().tryAcquire(key)))
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    for (const result of results) if (result.ok) await result.lock.release()
  }
})

it('the server may be down, or one of the objects', async () => {
  const withoutRedis = new Redlock({ nodes: [...objects, withFault(redis, reject)] })
  const withoutObject = new Redlock({
    nodes: [nodeWithFault(objects[0]!, reject), objects[1]!, redis],
  })
  for (const redlock of [withoutRedis, withoutObject]) {
    const key = freshKey()
    const lock = await redlock.acquire(key)
    expect(await client().tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    expect(await lock.release()).toBe('released')
  }
})

it('a function runs once, and a limit is kept', async () => {
  const key = freshKey()
  const run = (): Promise<string> =>
    once(client(), key, { keepFor: 60_000 }, async () => crypto.randomUUID())
  const values = await Promise.all([run(), run(), run()])
  expect(new Set(values).size).toBe(1)
  const slots = withSlots(client())
  const first = await slots.acquire(key, { limit: 2 })
  const second = await slots.acquire(key, { limit: 2 })
  expect(await slots.tryAcquire(key, { limit: 2 })).toMatchObject({ ok: false })
  await Promise.all([first.release(), second.release()])
})

it('a message of the server wakes a waiter', async () => {
  const key = freshKey()
  const waking = (): Redlock => withWakeUp(new Redlock({ nodes, retry: () => 30_000 }))
  const held = await waking().acquire(key, { ttl: 60_000 })
  const waiting = waking().acquire(key, { wait: 50_000 })
  await eventually(async () =>
    expect(await overRest([redis])[0]!.command('EXISTS', `lock:q:lock:l:${key}`)).toBe(1),
  )
  const released = Date.now()
  await held.release()
  await (await waiting).release()
  expect(Date.now() - released).toBeLessThan(30_000)
})
