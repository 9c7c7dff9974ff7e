import { Redis } from 'ioredis'
import RedlockFive from 'redlock-5'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ioredisNode, Redlock, withKeyNames } from '../../src/index.ts'
import { type Bed, freshKey, isRejected, startBed } from './bed.ts'

// A service on ioredis migrates from redlock 5, and keeps the settings of its clients.

let bed: Bed
beforeAll(async () => void (bed = await startBed()), 30_000)
afterAll(() => bed.close())

describe('redlock 5 and this library over ioredis', () => {
  it('exclude each other, with a keyPrefix in another database', async () => {
    const key = freshKey()
    const before = bed.addresses.map(
      ({ host, port }) => new Redis({ host, port, db: 1, keyPrefix: 'app:' }),
    )
    // The prefix of the client becomes a part of the names.
    const own = { keyPrefix: '', enableOfflineQueue: false, maxRetriesPerRequest: 0 }
    const clients = before.map((redis) => redis.duplicate(own))
    onTestFinished(() => {
      for (const redis of [...before, ...clients]) redis.disconnect()
    })
    const rival = new RedlockFive(before, { retryCount: 0 })
    const redlock = withKeyNames(
      new Redlock({ nodes: clients.map((redis) => ioredisNode(redis)) }),
      (name) => `app:${name}`,
    )

    const lock = await redlock.acquire(key)
    expect(await isRejected(rival.acquire([key], 10_000))).toBe(true)
    await lock.extend(30_000)
    expect(await isRejected(rival.acquire([key], 10_000))).toBe(true)
    expect(await lock.release()).toBe('released')
    let held = await rival.acquire([key], 10_000)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    held = await held.extend(30_000)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    await held.release()
    expect(await (await redlock.acquire(key, { wait: 5_000 })).release()).toBe('released')
  })
})
