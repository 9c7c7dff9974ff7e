import { describe, expect, it } from 'vitest'
import { isLockLostError, isQuorumError } from '../../../src/index.ts'
import { during, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** Extending a lock, and learning from it that the lock is lost. */
export const extendTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: extend`, () => {
    it('prolongs the lock, and never shortens it', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 2000 })
      await lock.extend(60_000)
      expect(lock.expiresIn).toBeGreaterThan(50_000)
      await lock.extend(1000)
      expect(lock.expiresIn).toBeGreaterThan(50_000)
      const left = (await servers[0]!.command('PTTL', `lock:l:${key}`)) as number
      expect(left).toBeGreaterThan(50_000)
      await lock.release()
    })

    it('rejects with LockLostError if another owner holds the key', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const { signal } = lock
      await expectOnAllNodes(key)
      await Promise.all(
        servers.map(({ command }) => command('SET', `lock:l:${key}`, 'another', 'PX', 1000)),
      )
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      expect(lock.held).toBe(false)
      expect(signal.aborted).toBe(true)
      expect(isLockLostError(signal.reason)).toBe(true)
      expect(await lock.release()).toBe('expired')
    })

    it('rejects with QuorumError in an outage, and the lock stays held while it is valid', async () => {
      const key = freshKey()
      const lock = await redlockWith(fiveNodes(during('e', reject), 3)).acquire(key, {
        ttl: 60_000,
      })
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      expect(lock.signal.aborted).toBe(false)
      expect(await lock.release()).toBe('released')
    })
  })
}
