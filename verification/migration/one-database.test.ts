import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Redlock } from '../../src/index.ts'
import type { Hold, Session } from '../comparison/contestants/contestant.ts'
import { upstashLock } from '../comparison/contestants/upstash-lock.ts'
import { type Bed, freshKey, isRejected, startBed } from './bed.ts'
import { raceBetween } from './race.ts'

// @upstash/lock holds a lock on one database, so this library must never acquire the lock without that
// database. These tests show the steps in docs/guides/migrate.md.

let bed: Bed
beforeAll(async () => void (bed = await startBed()), 30_000)
afterAll(() => bed.close())

const keyName = (key: string): string => key
const openTheirs = (database: number, ttl = 10_000): Promise<Session> =>
  bed.open(upstashLock, { ttl, indexes: [database] })

type Phase = readonly [name: string, database: number, own: () => Redlock]

const allAgree = (): Redlock => bed.own({ keyName, advanced: { quorum: 3 } })
const phases: readonly Phase[] = [
  ['their database as the only node', 0, () => bed.own({ keyName }, { indexes: [0] })],
  // The node with the lowest name decides who yields.
  ['three nodes that must all agree, theirs the first by name', 0, allAgree],
  ['three nodes that must all agree, theirs the last by name', 2, allAgree],
]

describe.each(phases)('@upstash/lock and this library with %s', (_, database, own) => {
  const acquireTheirs = async (key: string, ttl?: number): Promise<Hold> =>
    (await openTheirs(database, ttl)).acquire([key])

  it('exclude @upstash/lock from acquire to extend to release', async () => {
    const key = freshKey()
    const lock = await own().acquire(key, { ttl: 5_000 })
    expect(await isRejected(acquireTheirs(key))).toBe(true)
    await lock.extend(30_000)
    expect(await isRejected(acquireTheirs(key))).toBe(true)
    expect((await bed.left(key))[database]).toBeGreaterThan(20_000)
    expect(await lock.release()).toBe('released')
    await bed.untilFree(key)
    await (await acquireTheirs(key)).release()
  })

  it('exclude this library from acquire to extend to release', async () => {
    const key = freshKey()
    const redlock = own()
    const hold = await acquireTheirs(key, 5_000)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    // Its extend adds whole seconds to the remaining time.
    expect(await hold.extend(20_000)).toBe(true)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    expect((await bed.left(key))[database]).toBeGreaterThan(15_000)
    await hold.release()
    const lock = await redlock.acquire(key, { wait: 5_000 })
    expect(await lock.fencingToken()).toBeGreaterThan(0)
    expect(await lock.release()).toBe('released')
    await bed.untilFree(key)
  })

  it('acquire what the other has let expire', async () => {
    const key = freshKey()
    await acquireTheirs(key, 1_000)
    const lock = await own().acquire(key, { ttl: 1_000, wait: 10_000 })
    expect(lock.held).toBe(true)
    const session = await openTheirs(database)
    await vi.waitFor(() => session.acquire([key]), { timeout: 10_000, interval: 100 })
    expect(await own().tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
  })

  it('never hold the lock at the same time in a race', async () => {
    const { overlaps, wins } = await raceBetween(() => openTheirs(database), own)
    expect(overlaps).toBe(0)
    expect(wins.own).toBeGreaterThan(0)
    expect(wins.other).toBeGreaterThan(0)
  })
})

describe('a majority of three nodes', () => {
  it('does not see the lock of @upstash/lock, which is on one of them', async () => {
    const key = freshKey()
    const hold = await (await openTheirs(0)).acquire([key])
    // The reason for the steps above: two clients hold the lock at the same time.
    const lock = await bed.own({ keyName }).acquire(key)
    expect(lock.held).toBe(true)
    await bed.untilHeld(key)
    await lock.release()
    await hold.release()
  })
})

describe('the steps of a migration', () => {
  const steps: (() => Redlock)[] = [
    () => bed.own({ keyName }, { indexes: [0] }),
    allAgree,
    () => bed.own({ keyName }),
  ]

  it.each([
    [1, 2],
    [2, 3],
  ])('%i and %i exclude each other, in both orders', async (one, next) => {
    const key = freshKey()
    const clients = [steps[one - 1]!(), steps[next - 1]!()]
    for (const [holder, other] of [clients, clients.toReversed()]) {
      const lock = await holder!.acquire(key, { wait: 5_000 })
      expect(await other!.tryAcquire(key)).toMatchObject({ ok: false })
      await lock.extend()
      expect(await other!.tryAcquire(key)).toMatchObject({ ok: false })
      expect(await lock.release()).toBe('released')
    }
  })

  it('have rising tokens', async () => {
    const key = freshKey()
    const tokens: number[] = []
    for (const step of steps) {
      const lock = await step().acquire(key, { wait: 5_000 })
      tokens.push(await lock.fencingToken())
      await lock.release()
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
  })
})
