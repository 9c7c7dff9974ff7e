import { inspect, throttle } from '../../../src/index.ts'
import { describe, expect, it } from 'vitest'
import { freshKey } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** Acquiring a lock and releasing it, while all nodes are well. */
export const acquireTests = ({
  name,
  redlock,
  redlockWith,
  storedValues,
  expectNoneStored,
}: Setup): void => {
  describe(`${name}: acquire`, () => {
    it('stores one value on all nodes, and deletes it on release', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      await eventually(async () =>
        expect(await storedValues(key)).toEqual(Array.from({ length: 5 }, () => lock.value)),
      )
      expect(lock.keys).toEqual([key])
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
      expect(lock.held).toBe(false)
      expect(lock.expiresIn).toBe(0)
      await expectNoneStored(key)
    })

    it('waits up to `wait` and acquires the lock once it is released', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const waiting = redlock.acquire(key, { wait: 20_000 })
      await lock.release()
      const next = await waiting
      expect(next.held).toBe(true)
      await next.release()
    })

    it('locks all of several keys, or none of them', async () => {
      const [a, b, c] = [freshKey(), freshKey(), freshKey()]
      const held = await redlock.acquire(b, { ttl: 5000 })
      expect(await redlock.tryAcquire([a, b, c])).toMatchObject({ ok: false, reason: 'locked' })
      await expectNoneStored(a)
      await expectNoneStored(c)
      await held.release()
      const all = await redlock.acquire([a, b, c])
      expect(await redlock.tryAcquire(c)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await all.release()).toBe('released')
      await expectNoneStored(c)
    })

    it('works with as many long keys as are allowed, and rejects more at once', async () => {
      // In JSON, such a character takes six bytes.
      const keys = Array.from({ length: 15 }, () => freshKey().padEnd(4_096, '\u0001'))
      const lock = await redlock.acquire(keys, { wait: 20_000 })
      expect(lock.keys).toHaveLength(15)
      const rejection: unknown = await redlock.acquire(keys, { wait: 0 }).catch((error) => error)
      expect(rejection).toMatchObject({ isLockedError: true, keys: lock.keys })
      expect((rejection as Error).message.length).toBeLessThan(1_000)
      expect(await lock.release()).toBe('released')
      const lost: unknown = await lock.extend().catch((error: unknown) => error)
      expect(lost).toMatchObject({ isLockLostError: true, keys: lock.keys })
      expect((lost as Error).message.length).toBeLessThan(1_000)

      const more = [...keys, freshKey().padEnd(4_096, 'k')]
      for (const call of [
        () => redlock.acquire(more),
        () => redlock.tryAcquire(more),
        () => throttle(redlock, more, { window: 1_000 }),
        () => inspect(redlock, more),
      ]) {
        const error: unknown = await call().catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(RangeError)
        expect((error as Error).message).toMatch(
          /^`key` must be at most 65536 characters for all keys; got \d+ \(ERL01\)$/,
        )
      }
    })

    it('works with one node and with two nodes', async () => {
      for (const faults of [[undefined], [undefined, undefined]]) {
        const key = freshKey()
        const client = redlockWith(faults)
        const lock = await client.acquire(key)
        expect(await client.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        expect(await lock.release()).toBe('released')
      }
    })
  })
}
