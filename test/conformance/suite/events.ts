import { describe, expect, it, vi } from 'vitest'
import { type LockEvent } from '../../../src/index.ts'
import { reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** The events that `onEvent` receives. */
export const eventTests = ({ name, servers, isFrugal, redlockWith }: Setup): void => {
  describe(`${name}: events`, () => {
    it('report what happens, without secrets', async () => {
      const key = freshKey()
      const events: LockEvent[] = []
      const onEvent = (event: LockEvent): void => {
        events.push(event)
        throw new Error('a failing listener affects nobody')
      }
      const client = redlockWith([reject, ...fiveNodes().slice(1)], { onEvent })
      const lock = await client.acquire(key, { ttl: 60_000 })
      await lock.extend()
      await client.tryAcquire(key)
      await lock.release()
      await redlockWith(fiveNodes(reject, 5), { onEvent }).tryAcquire(key)
      const types = events.map(({ type }) => type)
      expect(types).toContain('node-error')
      const ended = types.filter((type) => !/^(node-|split)/.test(type))
      expect(ended).toEqual(['acquired', 'extended', 'rejected', 'released', 'rejected'])
      for (const event of events) expect(event.keys).toEqual([key])
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'released', result: 'released' }),
      )
      expect(JSON.stringify(events)).not.toContain(lock.value)
    })

    it('report a split vote and the loss of a lock', async () => {
      const key = freshKey()
      const seen: string[] = []
      const onEvent = ({ type }: LockEvent): void => void seen.push(type)
      await servers[0]!.command(
        'SET',
        `lock:l:${key}`,
        'rivals00-0000-4000-8000-000000000000',
        'PX',
        60_000,
      )
      await servers[1]!.command(
        'SET',
        `lock:l:${key}`,
        'another0-0000-4000-8000-000000000000',
        'PX',
        60_000,
      )
      await redlockWith([undefined, undefined], { onEvent }).tryAcquire(key)
      // A frugal client asks only the first node, and believes it.
      expect(seen).toContain(isFrugal ? 'rejected' : 'split')

      const other = freshKey()
      const lock = await redlockWith(fiveNodes(), { onEvent }).acquire(other, { ttl: 800 })
      await vi.waitFor(() => expect(lock.signal.aborted).toBe(true), { timeout: 20_000 })
      expect(seen).toContain('lost')
      await lock.release()
    })
  })
}
