import { describe, expect, it } from 'vitest'
import { check } from '../../../src/entries/doctor.ts'
import { answer, hang, reject } from '../../support/faults.ts'
import type { Setup } from './setup.ts'

/** The report on the nodes. */
export const checkTests = ({ name, redlock, redlockWith }: Setup): void => {
  describe(`${name}: check`, () => {
    it('reports on every node, and tries out a lock', async () => {
      const { nodes, lock } = await check(redlock)
      expect(nodes).toHaveLength(5)
      for (const { error, latency, clockOffset, server } of nodes) {
        expect(error).toBeUndefined()
        expect(latency).toBeGreaterThanOrEqual(0)
        // One machine, one clock: an offset of more than the latency is wrong.
        expect(Math.abs(clockOffset!)).toBeLessThanOrEqual(latency! + 50)
        expect(server).toMatchObject({
          info: { run_id: expect.any(String), role: 'master' },
          rejected: { write: '', time: '', info: '' },
        })
      }
      const identities = nodes.map(({ server }) => server!.identity)
      expect([...new Set(identities)]).toEqual(identities)
      expect(lock).toMatchObject({ error: undefined, released: 'released' })
      expect(lock.fence).toBeGreaterThan(0)
      expect(lock.nodes.map(({ node }) => node)).toEqual(nodes.map(({ node }) => node))
    })

    it('reports nodes that fail, hang or are no Redis, and still tries out a lock', async () => {
      const faults = [reject, undefined, hang, undefined, undefined]
      const { nodes, lock } = await check(redlockWith(faults, { nodeTimeout: 1000 }))
      const errors = nodes.flatMap(({ error }) => error ?? [])
      expect(errors.sort()).toEqual(['fetch failed', 'no answer in 1000 ms'])
      expect(lock.released).toBe('released')
      const garbage = redlockWith([answer('{"result":["i",1]}')])
      const { nodes: one, lock: failed } = await check(garbage)
      expect(one[0]).toMatchObject({ error: expect.any(String) })
      expect(one[0]!.server).toBeUndefined()
      expect(failed).toMatchObject({ released: undefined, error: expect.any(String) })
    })
  })
}
