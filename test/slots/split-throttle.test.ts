import { expect, it } from 'vitest'
import { Redlock, throttle, withSlots } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { delayBoth } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { freshKey, scoped } from '../support/nodes.ts'

it.each([
  ['one node is down', 1, 3, 2],
  ['all nodes are well', 0, 5, 5],
])('calls that wait all pass while there are slots for them: %s', async (_, down, limit, calls) => {
  const servers = memoryNodes(3)
  for (const server of servers.slice(3 - down)) server.fail()
  const nodes = servers.map((server) =>
    nodeThrough(
      server,
      delayBoth(() => 5 + 5 * Math.random()),
    ),
  )
  const burst = async (): Promise<boolean> => {
    const key = freshKey()
    const results = await Promise.all(
      Array.from({ length: calls }, () =>
        throttle(withSlots(new Redlock({ nodes, warnings: false })), key, {
          window: 60_000,
          limit,
          wait: 5_000,
        }),
      ),
    )
    return results.every(({ ok }) => ok)
  }
  const bursts = await Promise.all(Array.from({ length: 50 }, burst))
  expect(bursts.filter((all) => !all)).toEqual([])
})

it('a vote that was split leaves a pass, so the next call asks the nodes', async () => {
  const expiresAt = Date.now() + 60_000
  const servers = memoryNodes(3)
  const [key, other] = [freshKey(), (rank: number, slot: number) => `other-${rank}-${slot}`]
  // Each node but the second has other holders: none of them has a quorum.
  for (const rank of [0, 2])
    for (const slot of [1, 2]) {
      const entry = { value: other(rank, slot), expiresAt }
      servers[rank]!.entries.set(`lock:t:${key}#${slot}`, entry)
    }
  // Scoped as REST nodes are, since the isolate remembers only their windows.
  const nodes = servers.map((server) => scoped(server, `split ${key} ${server.name}`))
  const redlock = withSlots(new Redlock({ nodes, warnings: false }))
  const options = { window: 60_000, limit: 2 }
  const rejected = await throttle(redlock, key, options)
  expect(rejected).toMatchObject({ ok: false, reason: 'locked' })
  expect(!rejected.ok && rejected.retryAfter).toBeLessThanOrEqual(1000)
  for (const { entries } of servers) entries.clear()
  expect((await throttle(redlock, key, options)).ok).toBe(true)
})
