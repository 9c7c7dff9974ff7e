import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inspect, type Redlock } from '../../src/index.ts'
import { command } from '../../tools/servers/node-commands.ts'
import { redlock5 } from '../comparison/contestants/redlock-5.ts'
import { refuse } from '../comparison/faults.ts'
import { type Bed, freshKey, isRejected, startBed } from './bed.ts'
import { libraries } from './libraries.ts'
import { raceBetween } from './race.ts'

// A published library and this one hold the same keys on the same three servers. That happens in a deployment that
// replaces one with the other; see docs/guides/migrate.md.

let bed: Bed
beforeAll(async () => void (bed = await startBed()), 30_000)
afterAll(() => bed.close())

describe.each(libraries)('$contestant.name and this library', ({ contestant, keyName }) => {
  const own = (): Redlock => bed.own({ keyName })

  it('use the same Redis keys', async () => {
    const key = freshKey()
    const hold = await (await bed.open(contestant)).acquire([key])
    await bed.untilHeld(contestant.redisKey(key))
    expect(keyName(key)).toBe(contestant.redisKey(key))
    await hold.release()
  })

  it('exclude the other library from acquire to extend to release', async () => {
    const key = freshKey()
    const rival = await bed.open(contestant)
    const lock = await own().acquire(key, { ttl: 5_000 })
    const values = [lock.value, lock.value, lock.value]
    // A lock is acquired once two nodes hold it. The other client could get the third one for a moment.
    await bed.untilHeld(keyName(key))
    expect(await isRejected(rival.acquire([key]))).toBe(true)
    expect(await bed.stored(keyName(key))).toEqual(values)
    await lock.extend(30_000)
    await bed.untilHeld(keyName(key), 20_000)
    expect(await isRejected(rival.acquire([key]))).toBe(true)
    // Failed operations of the other library change neither the values nor their remaining time.
    expect(await bed.stored(keyName(key))).toEqual(values)
    expect(Math.min(...(await bed.left(keyName(key))))).toBeGreaterThan(20_000)
    await lock.extend(30_000)
    expect(await lock.release()).toBe('released')
    await bed.untilFree(keyName(key))
    const hold = await rival.acquire([key])
    await hold.release()
  })

  it('exclude this library from acquire to extend to release', async () => {
    const key = freshKey()
    const redlock = own()
    const before = await redlock.acquire(key)
    const token = await before.fencingToken()
    await before.release()
    await bed.untilFree(keyName(key))
    const hold = await (await bed.open(contestant, { ttl: 5_000 })).acquire([key])
    await bed.untilHeld(keyName(key))
    const values = await bed.stored(keyName(key))
    const rejection = await redlock.tryAcquire(key)
    expect(rejection).toMatchObject({ ok: false, reason: 'locked' })
    expect(rejection.ok || rejection.retryAfter).toBeLessThanOrEqual(5_000)
    await expect(redlock.acquire(key, { wait: 100 })).rejects.toThrow('The lock on')
    // Some use values of the same form as ours, others do not.
    expect((await inspect(redlock, key)).state).toMatch(/^(?:locked|foreign)$/)
    expect(await hold.extend(30_000)).toBe(true)
    await bed.untilHeld(keyName(key), 20_000)
    const later = await redlock.tryAcquire(key)
    expect(later).toMatchObject({ ok: false, reason: 'locked' })
    expect(later.ok || later.retryAfter).toBeGreaterThan(20_000)
    // The attempts of this library change neither the values nor their remaining time.
    expect(await bed.stored(keyName(key))).toEqual(values)
    expect(Math.min(...(await bed.left(keyName(key))))).toBeGreaterThan(20_000)
    await hold.release()
    const after = await redlock.acquire(key, { wait: 5_000 })
    expect(await after.fencingToken()).toBeGreaterThan(token)
    expect(await after.release()).toBe('released')
    await bed.untilFree(keyName(key))
  })

  it('acquire what the other has let expire', async () => {
    const key = freshKey()
    const redlock = own()
    await (await bed.open(contestant, { ttl: 1_000 })).acquire([key])
    const lock = await redlock.acquire(key, { ttl: 1_000, wait: 10_000 })
    expect(lock.held).toBe(true)
    const rival = await bed.open(contestant)
    await vi.waitFor(() => rival.acquire([key]), { timeout: 10_000, interval: 100 })
    await expect(lock.extend()).rejects.toThrow('Lost the lock')
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
  })

  it.skipIf(contestant.lacks['several keys'])('hold several keys, all or none', async () => {
    const keys = [freshKey(), freshKey(), freshKey()]
    const [a, b, c] = keys as [string, string, string]
    const redlock = own()
    const rival = await bed.open(contestant)
    const lock = await redlock.acquire([a, b])
    expect(await isRejected(rival.acquire([b, c]))).toBe(true)
    await bed.untilFree(keyName(c))
    await lock.release()
    await Promise.all([a, b, c].map((name) => bed.untilFree(keyName(name))))
    const hold = await rival.acquire([b, c])
    expect(await redlock.tryAcquire([a, b])).toMatchObject({ ok: false, reason: 'locked' })
    await bed.untilFree(keyName(a))
    await hold.release()
  })

  it('exclude each other while each misses another server', async () => {
    const faults = [refuse, undefined, undefined]
    const otherFaults = [undefined, undefined, refuse]
    const key = freshKey()
    const hold = await (await bed.open(contestant, { faults })).acquire([key])
    const redlock = bed.own({ keyName }, { faults: otherFaults })
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false })
    await hold.release()
    const lock = await redlock.acquire(key, { wait: 5_000 })
    expect(await isRejected((await bed.open(contestant, { faults })).acquire([key]))).toBe(true)
    expect(await lock.release()).toBe('released')
  })

  it('never hold the lock at the same time in a race', async () => {
    const { overlaps, wins } = await raceBetween(() => bed.open(contestant), own)
    expect(overlaps).toBe(0)
    expect(wins.own).toBeGreaterThan(0)
    expect(wins.other).toBeGreaterThan(0)
  })
})

describe('a key with another type', () => {
  it('is left alone, and makes the lock unavailable', async () => {
    const key = freshKey()
    for (const node of bed.addresses) await command(node, 'ZADD', `semaphore:${key}`, 1, 'holder')
    const redlock = bed.own({ keyName: (name) => `semaphore:${name}` })
    const rejection = await redlock.tryAcquire(key)
    expect(rejection).toMatchObject({ ok: false, reason: 'unavailable' })
    for (const node of bed.addresses) {
      expect(await command(node, 'ZCARD', `semaphore:${key}`)).toBe(1)
    }
  })
})

describe('without keyName', () => {
  it('both hold the lock at the same time, which the race notices', async () => {
    const { overlaps } = await raceBetween(
      () => bed.open(redlock5),
      () => bed.own({}),
    )
    expect(overlaps).toBeGreaterThan(0)
  })
})
