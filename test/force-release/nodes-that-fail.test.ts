import { expect, it } from 'vitest'
import { adopt, forceRelease, inspect, Redlock, serialize } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { systemClock } from '../../src/util/clock.ts'
import { later } from '../support/signals.ts'

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

it.each([false, true])(
  'a holder does not come back by nodes that failed meanwhile, another %s',
  async (isUsed) => {
    const nodes = memoryNodes(3)
    const [one, other] = [new Redlock({ nodes }), new Redlock({ nodes })]
    const lock = await one.acquire('k', { ttl: 60_000 })
    nodes[2]!.fail()
    expect(await forceRelease(other, 'k', { id: lock.id })).toMatchObject({ state: 'released' })
    if (isUsed) await (await other.acquire('k')).release()
    nodes[2]!.recover()
    nodes[1]!.fail()
    // One node has the lock, one has forgotten it, and one fails.
    for (let turn = 0; turn < 3; turn++) {
      await expect(lock.extend()).rejects.toThrow('the lock on')
      await settled()
    }
    nodes[1]!.recover()
    await expect(lock.extend()).rejects.toThrow('Lost the lock')
  },
)

it('a holder does not come back by a node that was down when it acquired the lock', async () => {
  const nodes = memoryNodes(3)
  const [one, other] = [new Redlock({ nodes, warnings: false }), new Redlock({ nodes })]
  nodes[0]!.fail()
  const lock = await one.acquire('k', { ttl: 60_000 })
  nodes[0]!.recover()
  nodes[2]!.fail()
  expect(await forceRelease(other, 'k', { id: lock.id })).toMatchObject({ state: 'released' })
  nodes[2]!.recover()
  nodes[1]!.fail()
  for (let turn = 0; turn < 3; turn++) {
    await expect(lock.extend()).rejects.toThrow('the lock on')
    await settled()
  }
})

it('an adopted lock does not come back either', async () => {
  const nodes = memoryNodes(3)
  const [one, other] = [new Redlock({ nodes, warnings: false }), new Redlock({ nodes })]
  const lock = adopt(one, serialize(await one.acquire('k', { ttl: 60_000 })))
  nodes[0]!.fail()
  await lock.extend()
  nodes[0]!.recover()
  nodes[2]!.fail()
  expect(await forceRelease(other, 'k')).toMatchObject({ state: 'released' })
  await (await other.acquire('k')).release()
  nodes[2]!.recover()
  nodes[1]!.fail()
  for (let turn = 0; turn < 3; turn++) {
    await expect(lock.extend()).rejects.toThrow('the lock on')
    await settled()
  }
})

it('only a holder that was released by force is told so', async () => {
  const nodes = memoryNodes(3)
  const redlock = new Redlock({ nodes, warnings: false })
  const first = await redlock.acquire('k', { ttl: 60_000 })
  await forceRelease(redlock, 'k')
  nodes[0]!.fail()
  const second = await redlock.acquire('k', { ttl: 60_000 })
  nodes[0]!.recover()
  await expect(first.extend()).rejects.toThrow('Lost the lock')
  for (const node of nodes.slice(1)) node.entries.clear()
  const error: unknown = await second.extend().catch((reason: unknown) => reason)
  expect(String(error)).toContain('too many nodes lost it')
})

it('of two keys, either one tells the holder', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  for (const key of ['a', 'b']) {
    const lock = await redlock.acquire(['a', 'b'], { ttl: 60_000 })
    await forceRelease(redlock, key)
    await expect(lock.extend()).rejects.toThrow('it was released by force')
    await lock.release()
  }
})

it('the fence of a forgotten holder lives for as long as its lock might have', async () => {
  let now = 1_800_000_000_000
  const nodes = memoryNodes(3, { now: () => now })
  const redlock = new Redlock({ nodes })
  const lock = await redlock.acquire('k', { ttl: 3_600_000 })
  await forceRelease(redlock, 'k')
  now += 900_000
  await expect(lock.extend()).rejects.toThrow('it was released by force')
  expect(await inspect(redlock, 'k')).toMatchObject({ state: 'free' })
})

it('a request that arrives again later frees no lock that was acquired after it', async () => {
  const nodes = memoryNodes(3)
  const calls: (() => Promise<unknown>)[] = []
  const repeating = nodes.map((node) =>
    nodeThrough(node, (_, send) => {
      calls.push(send)
      return send()
    }),
  )
  const [holder, operator] = [new Redlock({ nodes }), new Redlock({ nodes: repeating })]
  await holder.acquire('k', { ttl: 60_000 })
  expect(await forceRelease(operator, 'k')).toMatchObject({ state: 'released' })
  const lock = await holder.acquire('k', { ttl: 60_000 })
  expect(calls.length).toBeGreaterThanOrEqual(6)
  await Promise.all(calls.map((again) => again()))
  expect(await inspect(holder, 'k')).toMatchObject({ state: 'locked', holder: lock.id })
})

it('a late answer to the acquire does not hide that the lock was released by force', async () => {
  let now = 1_800_000_000_000
  const clock = { ...systemClock, wall: () => now, monotonic: () => now }
  const servers = memoryNodes(3)
  const { promise: opened, resolve: open } = later()
  const nodes = servers.map((server, index) =>
    nodeThrough(server, async ({ operation }, send) => {
      const reply = await send()
      if (operation === 'a' && index === 2) await opened
      return reply
    }),
  )
  const redlock = new Redlock({ nodes, warnings: false, advanced: { clock } })
  const lock = await redlock.acquire('k', { ttl: 60_000 })
  await forceRelease(new Redlock({ nodes: servers }), 'k')
  for (const server of servers.slice(1)) server.fail()
  await expect(lock.extend()).rejects.toThrow('the lock on')
  open()
  await settled()
  now += 60_000
  await expect(lock.extend()).rejects.toThrow('it was released by force')
})
