import { describe, expect, it, vi } from 'vitest'
import { isLockLostError } from '../../../src/index.ts'
import { during, type Fault, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** `using` holds a lock while a routine runs. */
export const usingTests = ({ name, redlock, redlockWith, expectNoneStored }: Setup): void => {
  describe(`${name}: using`, () => {
    it('holds the lock for longer than its ttl, and then releases it', async () => {
      const key = freshKey()
      const extensions = vi.fn<Fault>((_, send) => send())
      const client = redlockWith(fiveNodes(during('e', extensions), 5))
      const result = await client.using(key, { ttl: 1000 }, async (lock) => {
        const rounds = (count: number): Promise<void> =>
          vi.waitFor(() => expect(extensions.mock.calls.length).toBeGreaterThanOrEqual(count * 5), {
            timeout: 30_000,
          })
        await rounds(4)
        expect(lock.held).toBe(true)
        expect(lock.signal.aborted).toBe(false)
        expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
        return 'done'
      })
      expect(result).toBe('done')
      await expectNoneStored(key)
    })

    it('rethrows the error of the routine, even if the release fails', async () => {
      const key = freshKey()
      const failing = redlockWith(fiveNodes(during('r', reject), 5))
      const mistake = new Error('business')
      await expect(failing.using(key, { ttl: 1500 }, () => Promise.reject(mistake))).rejects.toBe(
        mistake,
      )
    })

    it('rethrows the error of the routine, even if the lock was lost before', async () => {
      const key = freshKey()
      const mistake = new Error('business')
      const failing = redlockWith(fiveNodes(during('e', reject), 5))
      const outcome = failing.using(key, { ttl: 800 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 })
        throw mistake
      })
      await expect(outcome).rejects.toBe(mistake)
      await expectNoneStored(key)
    })

    it('aborts the signal once the lock is lost, and retries the extension until then', async () => {
      const key = freshKey()
      const extensions = vi.fn<Fault>(reject)
      const failing = redlockWith(fiveNodes(during('e', extensions), 5))
      let reason: unknown
      const held = failing.using(key, { ttl: 1500 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 })
        reason = signal.reason
      })
      await expect(held).rejects.toSatisfy((error) => error === reason && isLockLostError(error))
      expect(extensions.mock.calls.length).toBeGreaterThan(5)
    })
  })
}
