import { describe, expect, it, vi } from 'vitest'
import type { RetryState } from '../../../src/core/retry/retry.ts'
import {
  inspect,
  isLockedError,
  isQuorumError,
  type Lock,
  type Redlock,
} from '../../../src/index.ts'
import { during, type Fault, reject, valuesOf } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** Callers of one process that wait for the same key. */
export const waitQueueTests = ({ name, redlock, redlockWith }: Setup): void => {
  describe(`${name}: wait queue`, () => {
    it('sends one caller at a time to the nodes, in the order of arrival', async () => {
      const key = freshKey()
      const acquires = vi.fn<Fault>((_, send) => send())
      const client = redlockWith(fiveNodes(during('a', acquires), 1), { localQueue: true })
      const order: number[] = []
      let inside = 0
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          client.using(key, { ttl: 60_000, wait: 60_000 }, async () => {
            expect(++inside).toBe(1)
            order.push(index)
            await inspect(redlock, key)
            inside--
          }),
        ),
      )
      expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      // A caller asks when it arrives at the head of the queue, and again when it is notified.
      expect(acquires.mock.calls.length).toBeLessThanOrEqual(8 * 3)
    })

    it('notifies its head when the lock is released, however long its delay is', async () => {
      const key = freshKey()
      const client = redlockWith(fiveNodes(), { localQueue: true })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const retry = vi.fn(() => 3_600_000)
      const waiting = client.acquire(key, { ttl: 60_000, retry })
      await eventually(() => expect(retry).toHaveBeenCalled())
      await lock.release()
      expect(await (await waiting).release()).toBe('released')
    })

    it('lets its waiters distinguish a held lock from an outage', async () => {
      const key = freshKey()
      const retry = { attempts: 4, delay: 20, maxDelay: 40 }
      const outcomes = (client: Redlock): Promise<unknown[]> =>
        Promise.all([1, 2, 3].map(() => client.acquire(key, { retry }).catch((e: unknown) => e)))
      const outage = redlockWith(fiveNodes(reject, 3), { localQueue: true })
      expect((await outcomes(outage)).map(isQuorumError)).toEqual([true, true, true])

      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const rejected = await outcomes(redlockWith(fiveNodes(), { localQueue: true }))
      expect(rejected.map(isLockedError)).toEqual([true, true, true])
      for (const error of rejected) {
        // The last node that was asked may name another waiter, whose try is being rolled back there.
        expect((error as { nodes: unknown }).nodes).toContainEqual(
          expect.objectContaining({ status: 'locked' }),
        )
      }
      await lock.release()
    })

    it('lets a waiter leave, with the reason of its signal', async () => {
      const key = freshKey()
      const client = redlockWith(fiveNodes(), { localQueue: true })
      const lock = await client.acquire(key, { ttl: 60_000 })
      const controller = new AbortController()
      const options = { ttl: 60_000, wait: 60_000 }
      const [a, b, c] = [controller.signal, undefined, undefined].map((signal) =>
        client.acquire(key, { ...options, signal }),
      ) as [Promise<Lock>, Promise<Lock>, Promise<Lock>]
      const left = a.catch((reason: unknown) => reason)
      controller.abort('enough')
      expect(await left).toBe('enough')
      await lock.release()
      const next = await b
      expect(await next.release()).toBe('released')
      expect(await (await c).release()).toBe('released')
    })

    it('is not used without localQueue', async () => {
      const key = freshKey()
      let values = new Set<unknown>()
      const note = during('a', ({ body }, send) => {
        for (const value of valuesOf(body)) values.add(value)
        return send()
      })
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      for (const localQueue of [true, false]) {
        values = new Set()
        const client = redlockWith(fiveNodes(note, 5), { localQueue })
        const retry = ({ attempt }: RetryState) => attempt < 6 && 10
        const calls = [1, 2, 3].map(() => client.acquire(key, { retry }).catch(() => 'rejected'))
        expect(await Promise.all(calls)).toEqual(['rejected', 'rejected', 'rejected'])
        // Each attempt has a value of its own: six of the head, or six of each caller.
        expect(values.size > 12).toBe(!localQueue)
      }
      await lock.release()
    })
  })
}
