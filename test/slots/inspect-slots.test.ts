import { expect, it } from 'vitest'
import { forceRelease, inspectSlots, Redlock, throttle, withSlots } from '../../src/index.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'

const servers = realNodes.slice(0, 3)
const redlock = withSlots(new Redlock({ nodes: servers }))

it('says how many can still hold a lock, and who does', async () => {
  const key = freshKey()
  const locks = await Promise.all([1, 2].map(() => redlock.acquire(key, { limit: 3, ttl: 60_000 })))
  const { remaining, slots } = await inspectSlots(redlock, key, { limit: 3 })
  expect(remaining).toBe(1)
  const holders = slots.flatMap(({ holder }) => holder ?? [])
  expect(holders.sort()).toEqual(locks.map(({ id }) => id).sort())
  const [lock] = locks
  await forceRelease(redlock, lock!.keys, { id: lock!.id })
  expect(await inspectSlots(redlock, key, { limit: 3 })).toMatchObject({ remaining: 2 })
  await Promise.all(locks.map((one) => one.release()))
})

it('says how many calls of a window are left', async () => {
  const key = freshKey()
  const window = { window: 60_000, limit: 3 }
  const look = async (): Promise<number> =>
    (await inspectSlots(redlock, key, { kind: 'throttle', limit: 3 })).remaining
  expect(await look()).toBe(3)
  await throttle(redlock, key, window)
  expect(await look()).toBe(2)
  await throttle(redlock, key, window)
  await throttle(redlock, key, window)
  expect(await look()).toBe(0)
})
