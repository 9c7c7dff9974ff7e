import { describe, expect, it, vi } from 'vitest'
import { during, reject } from '../../support/faults.ts'
import { freshKey, holders } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'
import { throttle } from '../../../src/index.ts'

/** One call passes per window. */
export const throttleTests = ({ name, servers, redlock, redlockWith }: Setup): void => {
  describe(`${name}: throttle`, () => {
    const windows = (key: string): Promise<unknown[]> => holders(servers, `lock:t:${key}`)

    it('lets exactly one of ten concurrent calls pass', async () => {
      for (let burst = 0; burst < 5; burst++) {
        const key = freshKey()
        const results = await Promise.all(
          Array.from({ length: 10 }, () => throttle(redlock, key, { window: 60_000 })),
        )
        expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, resetAfter: 60_000 }])
        for (const result of results) {
          if (result.ok) continue
          expect(result.reason).toBe('locked')
          expect(result.retryAfter).toBeGreaterThan(30_000)
        }
      }
    })

    it('lets the next call pass once the window is over', async () => {
      const key = freshKey()
      expect(await throttle(redlock, key, { window: 2500 })).toMatchObject({ ok: true })
      expect(await throttle(redlock, key, { window: 2500 })).toMatchObject({ ok: false })
      await vi.waitFor(
        async () => expect(await windows(key)).toEqual([null, null, null, null, null]),
        { timeout: 20_000 },
      )
      expect(await throttle(redlock, key, { window: 2500 })).toMatchObject({ ok: true })
    })

    it('tells each rejected call when the window ends, also from the cache', async () => {
      const key = freshKey()
      expect(await throttle(redlock, key, { window: 60_000 })).toMatchObject({ ok: true })
      // Nodes with a fetch of their own have a cache of their own.
      const other = redlockWith(fiveNodes((_, send) => send(), 5))
      for (let call = 0; call < 3; call++) {
        const result = await throttle(other, key, { window: 60_000 })
        expect(!result.ok && result.retryAfter).toBeGreaterThan(30_000)
      }
    })

    it('does not conflict with a lock on the same key', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key)
      expect(await throttle(redlock, key, { window: 1000 })).toMatchObject({ ok: true })
      await lock.release()
    })

    it('is unavailable in an outage, and then keeps no window', async () => {
      const key = freshKey()
      const outage = redlockWith(fiveNodes(during('a', reject), 3))
      expect(await throttle(outage, key, { window: 60_000 })).toMatchObject({
        ok: false,
        reason: 'unavailable',
      })
      await eventually(async () =>
        expect(await windows(key)).toEqual([null, null, null, null, null]),
      )
    })
  })
}
