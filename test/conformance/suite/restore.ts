import { describe, expect, it } from 'vitest'
import { isLockLostError } from '../../../src/index.ts'
import { during, gate } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'
import { eventually } from '../../support/eventually.ts'

/** Nodes that have lost the key of a held lock: an extend restores it where that is safe. */
export const restoreTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  storedValues,
  expectNoneStored,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: extend after data loss`, () => {
    it('restores the key on nodes that have lost it', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'worker 3' })
      const held = Array.from({ length: 5 }, () => `${lock.value} worker 3`)
      await eventually(async () => expect(await storedValues(key)).toEqual(held))
      // Two nodes lose only the key of the lock, two lose all data.
      await Promise.all(servers.slice(0, 4).map(({ command }) => command('DEL', `lock:l:${key}`)))
      await Promise.all(servers.slice(0, 2).map(({ command }) => command('DEL', `lock:f:${key}`)))
      await lock.extend()
      await eventually(async () => expect(await storedValues(key)).toEqual(held))
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })

    it('does not count empty nodes, since another owner may have held the lock there', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      for (const { command } of servers.slice(0, 3)) {
        await command('DEL', `lock:l:${key}`)
        await command('DEL', `lock:f:${key}`)
      }
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      await lock.release()
      await expectNoneStored(key)
    })

    it('does not count a node where another owner has held the key since', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      await servers[0]!.command('DEL', `lock:l:${key}`)
      const rival = await redlockWith([undefined]).acquire(key)
      expect(await rival.release()).toBe('released')
      // The others keep the lock, so it acquires the node again. That counts in later extensions.
      await lock.extend()
      await eventually(async () => expect(await storedValues(key)).not.toContain(null))

      // On a majority, another owner may have held the lock in the meantime.
      for (const index of [0, 1, 2]) {
        await servers[index]!.command('DEL', `lock:l:${key}`)
        await servers[index]!.command('SET', `lock:f:${key}`, '9 another', 'PX', 60_000)
      }
      const error = await lock.extend().catch((reason: unknown) => reason)
      expect(isLockLostError(error)).toBe(true)
      await lock.release()
      await expectNoneStored(key)
    })

    it('does not restore the key of a released lock', async () => {
      const key = freshKey()
      const late = gate()
      const faults = fiveNodes().map(() => during('e', late.fault))
      const lock = await redlockWith(faults).acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      const extending = lock.extend().catch((reason: unknown) => reason)
      await eventually(() => expect(late.arrived()).toBe(5))
      expect(await lock.release()).toBe('released')
      late.open()
      expect(isLockLostError(await extending)).toBe(true)
      await expectNoneStored(key)
    })
  })
}
