import { describe, expect, it, vi } from 'vitest'
import { isLockLostError } from '../../../src/index.ts'
import { answer, during, type Fault, hang } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** The limits of the automatic extension. */
export const keepAliveTests = ({ name, redlock, redlockWith, expectNoneStored }: Setup): void => {
  describe(`${name}: keep-alive`, () => {
    it('does not extend the lock beyond maxHold', async () => {
      const key = freshKey()
      const held = redlock.using(key, { ttl: 800, maxHold: 1200 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 })
      })
      await expect(held).rejects.toSatisfy(isLockLostError)
      await expectNoneStored(key)
    })

    it('extends the lock at most maxExtensions times', async () => {
      const key = freshKey()
      const extensions = vi.fn<Fault>((_, send) => send())
      const client = redlockWith([during('e', extensions), undefined, undefined])
      const held = client.using(key, { ttl: 900, maxExtensions: 2 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 15_000 })
      })
      await expect(held).rejects.toSatisfy(isLockLostError)
      // On a busy machine an extension is tried again, which counts once.
      expect(extensions.mock.calls.length).toBeGreaterThanOrEqual(2)
      expect(extensions.mock.calls.length).toBeLessThanOrEqual(6)
      await expectNoneStored(key)
    })

    it('has no hot loop at a ttl of 50 ms, even if every extension fails', async () => {
      const key = freshKey()
      const extensions = vi.fn<Fault>(answer('{"error":"ERR no"}', { status: 400 }))
      const client = redlockWith([during('e', extensions)])
      // On a busy machine the lock may expire before the first extension is due.
      for (let runs = 1; extensions.mock.calls.length === 0; runs++) {
        expect(runs).toBeLessThan(100)
        const held = client.using(key, { ttl: 50 }, async ({ signal }) => {
          await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 })
        })
        await expect(held).rejects.toSatisfy(isLockLostError)
      }
      // One after a third of the ttl, then one per eighth of it while the lock is valid: at most six.
      expect(extensions.mock.calls.length).toBeLessThanOrEqual(8)
    })

    it('reports the loss of the lock while extensions hang', async () => {
      const key = freshKey()
      const client = redlockWith(fiveNodes(during('e', hang), 3), { nodeTimeout: 10_000 })
      let reason: unknown
      const held = client.using(key, { ttl: 800 }, async ({ signal }) => {
        await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 })
        reason = signal.reason
      })
      await expect(held).rejects.toSatisfy((error) => error === reason && isLockLostError(error))
      await expectNoneStored(key)
    })
  })
}
