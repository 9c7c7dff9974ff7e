import { describe, expect, it } from 'vitest'
import { isQuorumError, type NodeReport } from '../../../src/index.ts'
import { answer, hang, reject } from '../../support/faults.ts'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

/** Nodes that are down or hang, and servers that lose their scripts. */
export const outageTests = ({
  name,
  servers,
  redlock,
  redlockWith,
  expectNoneStored,
}: Setup): void => {
  describe(`${name}: nodes that fail`, () => {
    it('does not need two of five nodes', async () => {
      const key = freshKey()
      const lock = await redlockWith(fiveNodes(reject, 2)).acquire(key)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
    })

    it('distinguishes an outage from contention', async () => {
      const key = freshKey()
      const outage = redlockWith(fiveNodes(reject, 3), { retry: { attempts: 1 } })
      expect(await outage.tryAcquire(key)).toMatchObject({ ok: false, reason: 'unavailable' })
      const error = await outage.acquire(key).catch((reason: unknown) => reason)
      expect(isQuorumError(error)).toBe(true)
      await expectNoneStored(key)
    })

    it('does not wait for a hung node while the others decide', async () => {
      const key = freshKey()
      const client = redlockWith(fiveNodes(hang, 1), { nodeTimeout: 60_000, ttl: 300_000 })
      const lock = await client.acquire(key)
      await lock.extend()
      expect(await client.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      expect(await lock.release()).toBe('released')
    })

    it('stops waiting for hung nodes after nodeTimeout', async () => {
      const result = await redlockWith(fiveNodes(hang, 3), { nodeTimeout: 50 }).tryAcquire(
        freshKey(),
      )
      // On a busy machine the other nodes may be late as well.
      const areTimeouts = (nodes: NodeReport[]): boolean =>
        nodes.filter(({ status }) => status === 'timeout').length >= 3
      expect(result).toMatchObject({
        ok: false,
        reason: 'unavailable',
        nodes: expect.toSatisfy(areTimeouts),
      })
    })

    it('does not count a malformed reply or the reply to another request', async () => {
      const malformed = [
        '{"result":1}',
        '{"result":"OK"}',
        '{"result":[1]}',
        '{"result":["a",1]}',
        '{"result":["a00000000-0000-4000-8000-000000000000",1]}',
        '[]',
        'null',
        '',
        '<html>',
      ]
      for (const body of malformed) {
        const key = freshKey()
        const result = await redlockWith(fiveNodes(answer(body), 3)).tryAcquire(key)
        expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
        await expectNoneStored(key)
      }
    })

    it('sends the script again after a server has flushed it', async () => {
      const key = freshKey()
      await Promise.all(servers.map(({ command }) => command('SCRIPT', 'FLUSH')))
      const lock = await redlock.acquire(key)
      expect(await lock.release()).toBe('released')
    })
  })
}
