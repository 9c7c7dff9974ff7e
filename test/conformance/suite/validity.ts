import { describe, expect, it, vi } from 'vitest'
import { isLockLostError } from '../../../src/index.ts'
import { during, type Fault, hang } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** The time for which a client may rely on a lock. */
export const validityTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  expectNoneStored,
}: Setup): void => {
  describe(`${name}: validity`, () => {
    it('is counted from before the first request, less the clock drift', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 5000 })
      const left = (await servers[0]!.command('PTTL', `lock:l:${key}`)) as number
      expect(lock.expiresIn).toBeLessThanOrEqual(left - 5000 * 0.01 - 2 + 5)
      expect(lock.expiresIn).toBeGreaterThan(2000)
      await lock.release()
    })

    it('is over for a lock that took longer to acquire than its ttl', async () => {
      const key = freshKey()
      let now = 0
      const clock = {
        wall: () => now,
        monotonic: () => now,
        setTimer: (callback: () => void, delay: number) => {
          const timer = setTimeout(callback, delay)
          return () => clearTimeout(timer)
        },
      }
      const late: Fault = async (_, send) => {
        const response = await send()
        now += 100
        return response
      }
      const client = redlockWith(fiveNodes(during('a', late), 5), { advanced: { clock }, ttl: 250 })
      expect(await client.tryAcquire(key)).toMatchObject({ ok: false, reason: 'unavailable' })
      await expectNoneStored(key)
    })

    it('aborts the signal when it ends, even if every node hangs', async () => {
      const key = freshKey()
      const lock = await redlockWith(fiveNodes(during('e', hang), 5), {
        nodeTimeout: 10_000,
      }).acquire(key, { ttl: 300 })
      const extending = lock.extend().catch((reason: unknown) => reason)
      const { signal } = lock
      await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 5000 })
      expect(isLockLostError(signal.reason)).toBe(true)
      expect(lock.held).toBe(false)
      await lock.release()
      void extending
    })
  })
}
