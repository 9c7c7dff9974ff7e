import { describe, expect, it, vi } from 'vitest'
import { during, type Fault, gate, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** The signal of the caller aborts a call. */
export const abortTests = ({
  name,
  redlock,
  redlockWith,
  storedValues,
  expectNoneStored,
}: Setup): void => {
  describe(`${name}: abort`, () => {
    it('sends no request for a signal that has already aborted', async () => {
      const key = freshKey()
      const requests = vi.fn<Fault>(reject)
      const reason = new Error('changed my mind')
      const signal = AbortSignal.abort(reason)
      await expect(redlockWith(fiveNodes(requests, 5)).acquire(key, { signal })).rejects.toBe(
        reason,
      )
      expect(requests).not.toHaveBeenCalled()
    })

    it('ends a call with requests in flight, and leaves nothing locked', async () => {
      const key = freshKey()
      // Three requests have reached their servers, but their replies are held back; two have not.
      const held = gate()
      const loseReplies: Fault = async (request, send) => {
        const response = await send()
        return held.fault(request, async () => response)
      }
      const controller = new AbortController()
      const faults = [loseReplies, loseReplies, loseReplies, held.fault, held.fault].map((fault) =>
        during('a', fault),
      )
      const acquiring = redlockWith(faults).acquire(key, { signal: controller.signal, ttl: 60_000 })
      const outcome = acquiring.catch((error: unknown) => error)
      await eventually(() => expect(held.arrived()).toBe(5))
      expect((await storedValues(key)).filter(Boolean)).toHaveLength(3)
      const reason = new Error('changed my mind')
      controller.abort(reason)
      expect(await outcome).toBe(reason)
      await expectNoneStored(key)
      held.open()
    })

    it('ends a call that waits for its next attempt', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const controller = new AbortController()
      const backoff = vi.fn(() => 600_000)
      const acquiring = redlock
        .acquire(key, { signal: controller.signal, retry: backoff })
        .catch((error: unknown) => error)
      await eventually(() => expect(backoff).toHaveBeenCalled())
      controller.abort('enough')
      expect(await acquiring).toBe('enough')
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })
  })
}
