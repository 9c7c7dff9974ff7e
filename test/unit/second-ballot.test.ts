import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the second ballot of one try', () => {
  it('measures its own round trips, not those from the start of the call', async () => {
    const nodes = memoryNodes(5)
    // A client holds two nodes, and a quorum together with the first node, which does not answer any more.
    for (const { entries } of nodes.slice(3))
      entries.set('lock:l:key', { value: 'another holder', expiresAt: Date.now() + 60_000 })
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
