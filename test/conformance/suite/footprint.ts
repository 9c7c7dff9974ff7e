import { describe, expect, it } from 'vitest'
import { freshKey } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'
import { throttle } from '../../../src/index.ts'

const [minute, day] = [60_000, 86_400_000]

/** The keys that locks and throttles leave behind on the nodes, and their lifetimes. */
export const footprintTests = (setup: Setup): void => {
  const { name, servers, redlock, redlockWith, expectOnAllNodes, expectNoneStored } = setup
  const onEach = (...command: string[]): Promise<unknown[]> =>
    Promise.all(servers.map((server) => server.command(...command)))
  /** Ms that a key has left on the nodes: the minimum and the maximum. */
  const lifeOf = async (key: string): Promise<[min: number, max: number]> => {
    const lives = (await onEach('PTTL', key)).map(Number)
    return [Math.min(...lives), Math.max(...lives)]
  }

  describe(`${name}: what is left behind`, () => {
    it('is a fence without metadata, which outlives the lock by ten minutes', async () => {
      const key = freshKey()
      const metadata = 'm'.repeat(2_000)
      const lock = await redlock.acquire(key, { ttl: minute, metadata })
      await expectOnAllNodes(key)
      const [min, max] = await lifeOf(`lock:f:${key}`)
      expect(min).toBeGreaterThan(10 * minute)
      expect(max).toBeLessThanOrEqual(11 * minute)
      for (const fence of await onEach('GET', `lock:f:${key}`)) {
        expect(fence).toMatch(new RegExp(`^\\d{13} ${lock.value}$`))
      }
      await lock.release()
    })

    it('lives for fenceTtl from the release, however long the lock would have lived', async () => {
      const key = freshKey()
      const client = redlockWith(
        Array.from(servers, () => undefined),
        { advanced: { fenceTtl: 20 * minute } },
      )
      const lock = await client.acquire(key, { ttl: day })
      await expectOnAllNodes(key)
      await lock.release()
      await expectNoneStored(key)
      const [min, max] = await lifeOf(`lock:f:${key}`)
      expect(min).toBeGreaterThan(15 * minute)
      expect(max).toBeLessThanOrEqual(20 * minute)
      const [, tombstone] = await lifeOf(`lock:x:${lock.value}`)
      expect(tombstone).toBeLessThanOrEqual(minute)
    })

    it('outlives a lock that lives for longer than its extension asks', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 30 * day })
      await expectOnAllNodes(key)
      await lock.extend(1_000)
      const [, life] = await lifeOf(`lock:l:${key}`)
      const [fenceLife] = await lifeOf(`lock:f:${key}`)
      expect(life).toBeGreaterThan(29 * day)
      expect(fenceLife).toBeGreaterThan(life + 9 * minute)
      await lock.release()
    })

    it('is no fence where a throttle was passed', async () => {
      const window = freshKey()
      await throttle(redlock, window, { window: minute })
      expect(await onEach('GET', `lock:f:${window}`)).toEqual(servers.map(() => null))
    })
  })
}
