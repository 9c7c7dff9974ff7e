import { describe, expect, it, vi } from 'vitest'
import { isQuorumError, type LockEvent, ttlOf } from '../../../src/index.ts'
import { during } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, manualClock, type Setup } from './setup.ts'

/** Bugs that were found in published libraries. Each title names the issue or the file that reports it. */
export const knownBugTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  storedValues,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: bugs of other libraries`, () => {
    it('counts validity from the attempt that won, not from the first one (mike-marcacci/node-redlock#169)', async () => {
      const key = freshKey()
      const { clock, late } = manualClock()
      const earlier = await redlock.acquire(key, { ttl: 60_000 })
      const client = redlockWith([during('a', late(400))], {
        advanced: { clock },
        localQueue: false,
      })
      let attempts = 0
      const releaseEarlier = async (): Promise<void> => void (await earlier.release())
      const lock = await client.acquire(key, {
        ttl: 1000,
        retry: () => {
          if (++attempts === 3) void releaseEarlier()
          return 5
        },
      })
      expect(lock.expiresIn).toBeGreaterThan(500)
      await lock.release()
    })

    it('does not count an extend as successful if it took longer than the new ttl (pottery, node-redlock#369)', async () => {
      const key = freshKey()
      const { clock, late } = manualClock()
      const lock = await redlockWith([during('e', late(300))], { advanced: { clock } }).acquire(
        key,
        {
          ttl: 60_000,
        },
      )
      const error = await lock.extend(200).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
    })

    it('extends by the ttl of the call in `using` (node-redlock, using ignores its settings)', async () => {
      const key = freshKey()
      const seen: string[] = []
      const onEvent = ({ type }: LockEvent): void => void seen.push(type)
      const client = redlockWith(fiveNodes(), { ttl: 60_000, onEvent })
      await client.using(key, { ttl: 2400 }, async (lock) => {
        await vi.waitFor(() => expect(seen).toContain('extended'), { timeout: 20_000 })
        expect(await ttlOf(lock)).toBeLessThanOrEqual(2400)
      })
    })

    it('keeps its default ttl after a call with another ttl (@upstash/lock, a lease mutates the instance)', async () => {
      const key = freshKey()
      const client = redlockWith(fiveNodes(), { ttl: 60_000 })
      await (await client.acquire(key, { ttl: 500 })).release()
      const lock = await client.acquire(key)
      expect(await ttlOf(lock)).toBeGreaterThan(30_000)
      await lock.release()
    })

    it('applies concurrent extends once, to the millisecond (@upstash/lock, additive and in seconds)', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 1000 })
      await Promise.all([lock.extend(10_500), lock.extend(10_500), lock.extend(10_500)])
      expect(await ttlOf(lock)).toBeGreaterThan(5000)
      expect(await ttlOf(lock)).toBeLessThanOrEqual(10_500)
      await lock.release()
    })

    it('never extends a lock that another owner holds (Redisson RedLock, unconditional PEXPIRE)', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      for (const { command } of servers) {
        await command('SET', `lock:l:${key}`, 'another value', 'PX', 20_000)
      }
      await lock.extend(60_000).catch(() => 'lost')
      expect(await lock.release()).toBe('expired')
      expect(await storedValues(key)).toEqual(Array(5).fill('another value'))
      for (const { command } of servers) {
        expect(await command('PTTL', `lock:l:${key}`)).toBeLessThanOrEqual(20_000)
        await command('DEL', `lock:l:${key}`)
      }
    })
  })
}
