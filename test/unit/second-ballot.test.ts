import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the second ballot of one try', () => {
  it('begins with a node that has answered, where the first one left the last ballot waiting', async () => {
    const nodes = memoryNodes(7)
    const expiresAt = Date.now() + 10_000
    // A rival of this moment holds three nodes. The first node does not answer, so it may have granted.
    for (const { entries } of nodes.slice(1, 4))
      entries.set('lock:l:key', { value: 'rival000-0000-4000-8000-000000000000', expiresAt })
    for (const node of nodes) node.delay(10)
    nodes[0]!.hang()
    let elapsed: number | undefined
    const redlock = new Redlock({
      nodes,
      advanced: { random: () => 0.5 },
      onEvent: (event) => {
        if (event.type === 'rejected') elapsed = event.elapsed
      },
    })
    const call = redlock.tryAcquire('key', { ttl: 10_000 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await call).toMatchObject({ ok: false, reason: 'locked' })
    // Two round trips until it yields, a pause of 1.3, and one for the look. The first node would take 45 ms more.
    expect(elapsed).toBeGreaterThan(40)
    expect(elapsed).toBeLessThan(60)
  })
  it('follows a single attempt of `acquire`, too', async () => {
    const nodes = [1, 2, 3].map((number) => memoryNode({ name: `node-${number}` }))
    for (const node of nodes) node.delay(10)
    const expiresAt = Date.now() + 10_000
    // Two rivals hold a node each for as long as this client leads.
    for (const [index, { entries }] of nodes.slice(1).entries())
      entries.set('lock:l:key', { value: `rival00${index}-0000-4000-8000-000000000000`, expiresAt })
    const redlock = new Redlock({
      nodes,
      retry: { attempts: 1 },
      onEvent: ({ type }) => {
        if (type === 'split') for (const { entries } of nodes.slice(1)) entries.delete('lock:l:key')
      },
    })
    const call = redlock.acquire('key', { ttl: 10_000 })
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await call).held).toBe(true)
  })
  it('measures its own round trips, not those from the start of the call', async () => {
    const nodes = memoryNodes(5)
    // A client holds two nodes, and a quorum together with the first node, which does not answer any more.
    for (const { entries } of nodes.slice(3))
      entries.set('lock:l:key', {
        value: 'another0-0000-4000-8000-000000000000',
        expiresAt: Date.now() + 60_000,
      })
    for (const node of nodes) node.delay(10)
    nodes[0]!.hang()
    const redlock = new Redlock({ nodes, strategy: 'frugal', advanced: { random: () => 0.5 } })
    const begun = Date.now()
    let ended: number | undefined
    const call = redlock.tryAcquire('key').finally(() => (ended = Date.now()))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await call).toMatchObject({ ok: false, reason: 'locked' })
    // 250 ms for the first node, and two ballots that lead in vain for six round trips each.
    expect(ended! - begun).toBeLessThan(700)
  })
})
