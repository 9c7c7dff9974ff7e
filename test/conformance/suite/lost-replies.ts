import { describe, expect, it, vi } from 'vitest'
import { during, type Fault, first, gate, loseReply, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** Requests that a server executes although the client never gets the reply, or gets it too late. */
export const lostReplyTests = ({
  name,
  redlock,
  redlockWith,
  storedValues,
  expectNoneStored,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: lost and late replies`, () => {
    it('does not make an acquire conflict with its own retry', async () => {
      const key = freshKey()
      const faults = fiveNodes().map(() => first(1, during('a', loseReply)))
      const lock = await redlockWith(faults, {
        retry: { attempts: 5, delay: 1, maxDelay: 2 },
      }).acquire(key)
      expect(lock.held).toBe(true)
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })

    it('still makes the client release those nodes', async () => {
      const key = freshKey()
      // The servers execute the requests, of which the client sees only errors.
      const result = await redlockWith(fiveNodes(during('a', loseReply), 5)).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      await expectNoneStored(key)
    })

    it('releases a grant that arrives after the attempt has failed', async () => {
      const key = freshKey()
      const late = gate()
      const faults = [reject, reject, reject, during('a', late.fault), undefined]
      const result = await redlockWith(faults, { nodeTimeout: 60_000, ttl: 300_000 }).tryAcquire(
        key,
      )
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      expect(late.arrived()).toBe(1)
      await expectNoneStored(key)
      late.open()
      // The node grants the lock now, and is released once it has answered. Until then others may do without it.
      await eventually(async () => {
        await using again = await redlock.acquire(key, { wait: 20_000 })
        expect(await storedValues(key)).toEqual(Array.from({ length: 5 }, () => again.value))
      })
    })

    it('releases a late grant again if its first release was lost', async () => {
      const key = freshKey()
      const late = gate()
      const releasing = vi.fn<Fault>(first(1, reject))
      const loseFirst = during('r', releasing)
      const failing: Fault = (request, send) =>
        during('a', late.fault)(request, () => loseFirst(request, send))
      const faults = [reject, reject, reject, failing, undefined]
      // The answer arrives after its time, and before the request is cancelled.
      const options = { ttl: 1000 }
      const result = await redlockWith(faults, options).tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      await eventually(() => expect(late.arrived()).toBe(1))
      await eventually(() => expect(releasing).toHaveBeenCalled())
      late.open()
      await eventually(() => expect(releasing.mock.calls.length).toBeGreaterThan(1))
      await expectNoneStored(key)
    })

    it('grants nothing to an acquire that arrives after its release', async () => {
      const key = freshKey()
      const repeats: (() => Promise<Response>)[] = []
      const record = during('a', (_, send) => {
        repeats.push(send)
        return send()
      })
      const lock = await redlockWith(fiveNodes(record, 5)).acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
      await Promise.all(repeats.map(async (send) => (await send()).text()))
      await expectNoneStored(key)
    })
  })
}
