import { describe, expect, it, vi } from 'vitest'
import { adopt, isLockLostError, isQuorumError, serialize } from '../../../src/index.ts'
import { during, type Fault, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { later, setUpFencing } from './fencing-setup.ts'
import type { Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** The token after data loss, outages and the loss of the lock. */
export const fencingRecoveryTests = (setup: Setup): void => {
  const { name, servers, expectOnAllNodes } = setup
  const { redlockWith, redlock, setCounters, countersOf } = setUpFencing(setup)
  describe(`${name}: fencing token after failures`, () => {
    it('rises even after the nodes have lost all data', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      const token = await lock.fencingToken()
      await expectOnAllNodes(key)
      await lock.release()
      // The clocks that the counters follow must advance.
      await eventually(() => expect(Date.now()).toBeGreaterThan(token + 1))
      for (const { command } of servers) {
        await command('DEL', `lock:f:${key}`)
        await command('DEL', `lock:l:${key}`)
      }
      const next = await redlock.acquire(key)
      expect(await next.fencingToken()).toBeGreaterThan(token)
      await next.release()
    })

    it('starts from the clock where an extend restores the lock on an empty node', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const token = await lock.fencingToken()
      await eventually(() => expect(Date.now()).toBeGreaterThan(token + 1))
      const [empty] = servers
      await empty!.command('DEL', `lock:l:${key}`)
      await empty!.command('DEL', `lock:f:${key}`)
      await lock.extend()
      await expectOnAllNodes(key)
      // Another owner may have held the lock there in the meantime, with a counter that is lost.
      expect((await countersOf(key))[0]).toBeGreaterThan(token)
      expect(await lock.fencingToken()).toBe(token)
      await lock.release()
    })

    it('stays the same when the lock is restored, and rises with the next holder', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const token = await lock.fencingToken()
      for (const { command } of servers.slice(0, 4)) await command('DEL', `lock:l:${key}`)
      await lock.extend()
      await expectOnAllNodes(key)
      expect(await lock.fencingToken()).toBe(token)
      await lock.release()
      const next = await redlock.acquire(key, { wait: 20_000 })
      expect(await next.fencingToken()).toBeGreaterThan(token)
      await next.release()
    })

    it('can be read from an adopted lock', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const token = await lock.fencingToken()
      const adopted = adopt(redlockWith(), JSON.stringify(serialize(lock)))
      expect(await adopted.fencingToken()).toBe(token)
      // The first extend returns the token too.
      const requests = vi.fn<Fault>((_, send) => send())
      const again = adopt(redlockWith(requests), JSON.stringify(serialize(lock)))
      await again.extend()
      const before = requests.mock.calls.length
      expect(await again.fencingToken()).toBe(token)
      expect(requests.mock.calls.length).toBe(before)
      await again.release()
    })

    it('rejects with LockLostError once the lock is lost or released', async () => {
      const key = freshKey()
      await setCounters(key, [later, later + 10, later + 20, later + 30, later + 40])
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      for (const { command } of servers) {
        await command('SET', `lock:l:${key}`, 'another', 'PX', 60_000)
      }
      const error = await lock.fencingToken().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      expect(lock.held).toBe(false)
      await lock.release()

      const other = await redlock.acquire(freshKey())
      await other.release()
      const late = await other.fencingToken().catch((reason: unknown) => reason)
      expect(isLockLostError(late)).toBe(true)
    })

    it('rejects with QuorumError in an outage, and is confirmed after it', async () => {
      const key = freshKey()
      await setCounters(key, [later, later + 10, later + 20, later + 30, later + 40])
      let isDown = true
      const outage = during('e', (request, send) => (isDown ? reject(request, send) : send()))
      const lock = await redlockWith(outage).acquire(key, { ttl: 60_000 })
      const error = await lock.fencingToken().catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      expect(lock.held).toBe(true)
      isDown = false
      expect(await lock.fencingToken()).toBeGreaterThan(later + 20)
      await lock.release()
    })
  })
}
