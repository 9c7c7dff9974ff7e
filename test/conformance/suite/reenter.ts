import { describe, expect, it } from 'vitest'
import { freshKey } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'

/** A holder that takes its own lock again. */
export const reenterTests = ({ name, redlock, expectNoneStored }: Setup): void => {
  describe(`${name}: reentered lock`, () => {
    it('is released on the nodes by its last release', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      expect(lock.reenter()).toBe(lock)
      lock.reenter()
      expect(await lock.release()).toBe('released')
      expect(await lock.release()).toBe('released')
      expect(lock.held).toBe(true)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
      expect(() => lock.reenter()).toThrow('Lost the lock')
    })
  })
}
