import { describe, expect, it } from 'vitest'
import { inspect, isQuorumError, type NodeReport, ttlOf } from '../../../src/index.ts'
import { during, hang, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** The state of a lock as other clients and its holder can read it. */
export const inspectTests = ({
  name,
  servers,
  isFrugal,
  redlock,
  redlockWith,
  expectNoneStored,
  expectOnAllNodes,
}: Setup): void => {
  describe(`${name}: inspection and metadata`, () => {
    it('shows metadata to rejected callers, but not the secret', async () => {
      const key = freshKey()
      const metadata = 'worker 3, {"pid": 7}, ключ'
      const lock = await redlock.acquire(key, { ttl: 60_000, metadata })
      expect(lock.metadata).toBe(metadata)
      const result = await redlock.tryAcquire(key)
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      const error = await redlock
        .acquire(key, { retry: { attempts: 1 } })
        .catch((reason: unknown) => reason)
      for (const { nodes } of [result, error] as { nodes: NodeReport[] }[]) {
        const holders = nodes.filter(({ status }) => status === 'locked')
        expect(holders.length).toBeGreaterThanOrEqual(isFrugal ? 1 : 3)
        for (const node of holders) expect(node).toMatchObject({ metadata })
        expect(JSON.stringify(nodes)).not.toContain(lock.value)
      }
      await lock.extend()
      expect(await lock.release()).toBe('released')
      await expectNoneStored(key)
    })

    it('reports the state of a key on each node', async () => {
      const key = freshKey()
      const free = await inspect(redlock, key)
      expect(free).toMatchObject({ state: 'free', ttl: 0 })
      expect(free.nodes.map(({ status }) => status)).toEqual(Array(5).fill('absent'))

      const lock = await redlock.acquire(key, { ttl: 60_000, metadata: 'worker 3' })
      await expectOnAllNodes(key)
      const partial = redlockWith([reject, hang, undefined, undefined, undefined], {
        nodeTimeout: 1_000,
      })
      const held = await inspect(partial, key)
      expect(held).toMatchObject({ state: 'locked', metadata: 'worker 3' })
      expect(held.ttl).toBeGreaterThan(30_000)
      expect(held.ttl).toBeLessThanOrEqual(60_000)
      const statuses = held.nodes.map(({ status }) => status).sort()
      expect(statuses).toEqual(['error', 'locked', 'locked', 'locked', 'timeout'])
      expect(JSON.stringify(held)).not.toContain(lock.value)

      const unavailable = await inspect(redlockWith(fiveNodes(reject, 3)), key)
      expect(unavailable.state).toBe('unavailable')
      await lock.release()
      expect(await inspect(redlock, key)).toMatchObject({ state: 'free' })
    })

    it('reads the remaining ttl of a held lock from the nodes', async () => {
      const key = freshKey()
      const lock = await redlock.acquire(key, { ttl: 60_000 })
      expect(await ttlOf(lock)).toBeGreaterThan(30_000)
      await expectOnAllNodes(key)
      for (const { command } of servers.slice(0, 3)) await command('DEL', `lock:l:${key}`)
      expect(await ttlOf(lock)).toBe(0)
      const outage = await redlockWith(fiveNodes(during('i', reject), 3)).acquire(freshKey())
      const error = await ttlOf(outage).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      await outage.release()
      await lock.release()
      expect(await ttlOf(lock)).toBe(0)
    })
  })
}
