import { describe, expect, it } from 'vitest'
import { adopt, isLockLostError, serialize } from '../../../src/index.ts'
import { systemClock } from '../../../src/util/clock.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** A lock that one process serializes and another adopts. */
export const adoptTests = ({ name, redlock, redlockWith, expectNoneStored }: Setup): void => {
  describe(`${name}: adopted lock`, () => {
    it('gets its validity from the nodes after an extend, whatever the clocks say', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      // The clock is ten minutes behind, so that the lock seems fresh, and its validity too long.
      const clock = { ...systemClock, wall: () => Date.now() - 600_000 }
      const behind = redlockWith(fiveNodes(), { advanced: { clock, driftFactor: 0.5 } })
      const adopted = adopt(behind, JSON.stringify(serialize(lock)))
      expect(adopted.expiresIn).toBeLessThan(30_000)
      await adopted.extend(20_000)
      expect(adopted.expiresIn).toBeLessThan(10_000)
      await adopted.extend(60_000)
      expect(adopted.expiresIn).toBeGreaterThan(20_000)
      expect(await adopted.release()).toBe('released')
    })

    it('is extended and released by another process, from plain data', async () => {
      const key = freshKey()
      const web = await redlock.acquire([key, `${key}-b`], { ttl: 60_000, metadata: 'web' })
      const data = JSON.stringify(serialize(web))
      const other = redlockWith(fiveNodes())
      for (const adopted of [adopt(other, data), adopt(other, JSON.parse(data))]) {
        expect(adopted.keys).toEqual(web.keys)
        expect(adopted.metadata).toBe('web')
        // Read first, since time passes between the two. Plain data has only the wall clock, which may be
        // set back: it was 3 ms behind the monotonic clock.
        const left = web.expiresIn
        expect(adopted.expiresIn).toBeLessThanOrEqual(left + 100)
        await adopted.extend(120_000)
        expect(adopted.expiresIn).toBeGreaterThan(60_000)
      }
      expect(await adopt(other, data).release()).toBe('released')
      await expectNoneStored(key)
      const error = await web.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
    })
  })
}
