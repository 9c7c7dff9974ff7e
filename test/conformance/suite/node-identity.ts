import { describe, expect, it, vi } from 'vitest'
import { type Lock, Redlock } from '../../../src/index.ts'
import type { Fault } from '../../support/faults.ts'
import { freshKey, renamed } from '../../support/nodes.ts'
import type { Setup } from './setup.ts'

/** Nodes that turn out to be one server. */
export const nodeIdentityTests = ({
  name,
  connect,
  redlockWith,
  expectNoneStored,
}: Setup): void => {
  describe(`${name}: node identity`, () => {
    it('rejects two nodes that are one database, at first use', async () => {
      const key = freshKey()
      const alias = renamed(connect(0, undefined))
      const client = new Redlock({ nodes: [connect(0, undefined), alias, connect(1, undefined)] })
      // A call fails if it has counted both answers; if one came too late, the next call fails.
      const refused = /^Expected `nodes` to be independent servers: .+ and .+ are one/
      await vi.waitFor(async () => {
        const lock = await client.acquire(key).catch((error: unknown) => error)
        if ('release' in (lock as object)) await (lock as Lock).release()
        expect(lock).toBeInstanceOf(TypeError)
      })
      const calls = [
        client.acquire(key),
        client.tryAcquire(key),
        client.throttle(key, { window: 1000 }),
      ]
      await Promise.all(calls.map((call) => expect(call).rejects.toThrow(refused)))
      await expectNoneStored(key)
    })

    it('is requested with the first acquire, and costs no request', async () => {
      const key = freshKey()
      const asked: boolean[] = []
      const watch: Fault = ({ body }, send) => {
        asked.push(body.includes('"lock:id"'))
        return send()
      }
      const client = redlockWith([watch])
      await (await client.acquire(key)).release()
      const first = asked.splice(0)
      // A server that does not know the script gets a second request.
      expect(first.slice(0, -1)).not.toContain(false)
      expect(first.at(-1)).toBe(false)
      for (let turn = 0; turn < 3; turn++) await (await client.acquire(key)).release()
      expect(asked).toEqual(Array(6).fill(false))
    })
  })
}
