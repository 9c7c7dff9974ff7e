import { describe, expect, it, vi } from 'vitest'
import { during, type Fault } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { later, setUpFencing } from './fencing-setup.ts'
import type { Setup } from './setup.ts'

/** The order of the tokens, and how nodes agree on one. */
export const fencingTokenTests = (setup: Setup): void => {
  const { name, expectOnAllNodes } = setup
  const { redlockWith, redlock, setCounters, countersOf } = setUpFencing(setup)
  describe(`${name}: fencing token`, () => {
    it('rises from holder to holder, and is near the time of day', async () => {
      const key = freshKey()
      const tokens: number[] = []
      for (let holder = 0; holder < 5; holder++) {
        const lock = await redlock.acquire(key, { wait: 20_000 })
        tokens.push(await lock.fencingToken())
        await lock.release()
      }
      expect(new Set(tokens).size).toBe(5)
      expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
      expect(tokens.every(Number.isSafeInteger)).toBe(true)
      expect(Math.abs(tokens[0]! - Date.now())).toBeLessThan(60_000)
    })

    it('costs no request where the nodes agree, and stays the same', async () => {
      const key = freshKey()
      const requests = vi.fn<Fault>((_, send) => send())
      const lock = await redlockWith(requests).acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const before = requests.mock.calls.length
      const token = await lock.fencingToken()
      expect(requests.mock.calls.length).toBe(before)
      await lock.extend()
      expect(await lock.fencingToken()).toBe(token)
      expect(await lock.reenter().fencingToken()).toBe(token)
      await lock.release()
      await lock.release()
    })

    it('is raised and confirmed on a quorum where the nodes disagree', async () => {
      const key = freshKey()
      await setCounters(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fencingToken()
      expect(token).toBeGreaterThan(later + 20)
      const raised = (await countersOf(key)).filter((counter) => counter === token)
      expect(raised.length).toBeGreaterThanOrEqual(3)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fencingToken()).toBeGreaterThan(token)
      await next.release()
    })

    it('is the same for concurrent callers', async () => {
      const key = freshKey()
      await setCounters(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const tokens = await Promise.all([
        lock.fencingToken(),
        lock.fencingToken(),
        lock.extend(),
        lock.fencingToken(),
      ])
      const token = await lock.fencingToken()
      expect(tokens).toEqual([token, token, undefined, token])
      await lock.release()
    })

    it('is not taken from a minority, however high its counters are', async () => {
      const key = freshKey()
      await setCounters(key, [0, 0, 0, later, later])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fencingToken()
      await lock.extend()
      expect(await lock.fencingToken()).toBe(token)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fencingToken()).toBeGreaterThan(token)
      await next.release()
    })

    it('is exact up to the largest safe integer', async () => {
      const key = freshKey()
      const large = 2 ** 53 - 10
      await setCounters(key, [large, large, large, large, large])
      const lock = await redlock.acquire(key)
      expect(await lock.fencingToken()).toBe(large + 1)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fencingToken()).toBe(large + 2)
      await next.release()
    })

    it('rises above the tokens of all its keys', async () => {
      const [a, b, c] = [freshKey(), freshKey(), freshKey()]
      await setCounters(b, [later, later, later, later, later])
      const both = await redlock.acquire([a, b])
      const token = await both.fencingToken()
      expect(token).toBe(later + 1)
      await both.release()
      // Later locks on any of these keys have higher tokens.
      for (const keys of [a, b, [b, c], [c, a]]) {
        const lock = await redlock.acquire(keys, { wait: 20_000 })
        expect(await lock.fencingToken()).toBeGreaterThan(token)
        await lock.release()
      }
    })

    it('is not raised by a request that is executed twice', async () => {
      const key = freshKey()
      const twice = during('a', async (_, send) => {
        await (await send()).text()
        return send()
      })
      const lock = await redlockWith(twice).acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const counters = await countersOf(key)
      expect(new Set(counters).size).toBe(1)
      expect(await lock.fencingToken()).toBe(counters[0])
      await lock.release()
    })

    it('follows a wrong client clock by at most 5 s', async () => {
      for (const off of [-3_600_000, 3_600_000]) {
        const clock = {
          wall: () => Date.now() + off,
          monotonic: () => performance.now(),
          setTimer: (callback: () => void, delay: number) => {
            const timer = setTimeout(callback, delay)
            return () => clearTimeout(timer)
          },
        }
        const lock = await redlockWith(undefined, { clock }).acquire(freshKey(), { ttl: 60_000 })
        const token = await lock.fencingToken()
        expect(Math.abs(token - Date.now())).toBeLessThan(15_000)
        await lock.release()
      }
    })
  })
}
