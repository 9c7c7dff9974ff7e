import { describe, expect, it } from 'vitest'
import { during, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** The results of a release. */
export const releaseTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: release`, () => {
    it('returns `released`, `expired` or `unconfirmed`', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      await expectOnAllNodes(key)
      await Promise.all(servers.map(({ command }) => command('DEL', `lock:l:${key}`)))
      expect(await lock.release()).toBe('expired')
      expect(await lock.release()).toBe('expired')

      const other = await redlockWith(fiveNodes(during('r', reject), 3)).acquire(key, { ttl: 2000 })
      expect(await other.release()).toBe('unconfirmed')
    })
  })
}
