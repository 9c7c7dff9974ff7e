import { describe, expect, it } from 'vitest'
import { isLockedError } from '../../../src/index.ts'
import { reject, slow } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** Several clients that want the same lock. */
export const contentionTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  storedValues,
}: Setup): void => {
  describe(`${name}: contention`, () => {
    it('returns a rejection to a second caller, with the time until a quorum can be free', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const isSoon = (time: number): boolean => time > 2000 && time <= 5000
      expect(await redlock.tryAcquire(key)).toMatchObject({
        ok: false,
        reason: 'locked',
        retryAfter: expect.toSatisfy(isSoon),
      })
      await lock.release()
      const next = await redlock.tryAcquire(key)
      expect(next.ok).toBe(true)
      if (next.ok) await next.lock.release()
    })

    it('throws LockedError after the last attempt, and does not affect the holder', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const retry = { attempts: 2, delay: 1, maxDelay: 2 }
      const error = await redlock.acquire(key, { retry }).catch((reason: unknown) => reason)
      expect(isLockedError(error)).toBe(true)
      expect(error).toMatchObject({ keys: [key], name: 'LockedError' })
      expect(await lock.release()).toBe('released')
    })

    it('has exactly one winner among ten concurrent calls', async () => {
      for (let burst = 0; burst < 5; burst++) {
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: 10 }, () => redlock.tryAcquire(key, { ttl: 60_000 })),
        )
        expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      }
    })

    it.each([
      ['down', reject],
      ['slow', slow(40)],
    ])(
      'has one winner among five concurrent calls, and never two, while any one server is %s',
      async (_, fault) => {
        const winners: number[] = []
        for (const failing of servers.keys()) {
          const faults = servers.map((_server, index) => (index === failing ? fault : slow(5)))
          const client = redlockWith(faults)
          const key = freshKey()
          const results = await Promise.all(
            Array.from({ length: 5 }, () => client.tryAcquire(key, { ttl: 60_000 })),
          )
          winners.push(results.filter(({ ok }) => ok).length)
        }
        expect(Math.max(...winners)).toBe(1)
        // A burst may have none where the process stands still in it, as on a busy machine. The simulation has the rate.
        expect(winners.filter((count) => count === 0).length).toBeLessThanOrEqual(1)
      },
    )

    it('leaves the lock to the next call after a burst without a winner', async () => {
      const key = freshKey()
      // Each client reaches two of five servers, so none of them wins.
      const reached = [
        [0, 2],
        [1, 3],
        [2, 4],
      ]
      const calls = reached.map((own) => {
        const faults = [...servers.keys()].map((index) =>
          own.includes(index) ? undefined : reject,
        )
        return redlockWith(faults).tryAcquire(key, { ttl: 60_000 })
      })
      const winners = (await Promise.all(calls)).filter(({ ok }) => ok)
      expect(winners).toEqual([])
      await using next = await redlock.acquire(key, { wait: 20_000 })
      expect(next.held).toBe(true)
    })

    it('rejects a tie of two nodes, and releases the node it was granted', async () => {
      const key = freshKey()
      await servers[0]!.command('SET', `lock:l:${key}`, 'another', 'PX', 60_000)
      const result = await redlockWith([undefined, undefined]).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      await eventually(async () => expect((await storedValues(key))[1]).toBeNull())
    })
  })
}
