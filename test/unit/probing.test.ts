import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isLockedError, Redlock } from '../../src/index.ts'
import { recordedNodes } from '../support/recorded-nodes.ts'

// A call that waits asks one node at most tries, and all of them again within a bounded time: the lock may
// be free although that node still has it.

/** Ms for which the word of a quorum is good enough. */
const maxAge = 1_000
const wait = 10_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Nodes on which somebody holds the lock. */
const held = async () => {
  const recorded = recordedNodes(3)
  const lock = await new Redlock({ nodes: recorded.servers }).acquire('key', { ttl: 60_000 })
  return { ...recorded, lock }
}

describe.each([100, 400, 900])('a call that waits, and tries every %d ms', (pause) => {
  it.each([1, 4])(
    'asks all nodes again once their word is a second old, as one of %d',
    async (callers) => {
      const { nodes, tries } = await held()
      const redlock = new Redlock({ nodes, retry: () => pause, localQueue: true })
      const calls = Array.from({ length: callers }, () => redlock.acquire('key', { wait }))
      const rejected = Promise.all(calls.map((call) => expect(call).rejects.toThrow('is held by')))
      await vi.advanceTimersByTimeAsync(wait)
      await rejected
      const full = tries().filter((one) => one.nodes.length > 1)
      const gaps = full.slice(1).map(({ at }, index) => at - full[index]!.at)
      expect(Math.max(...gaps)).toBeLessThanOrEqual(maxAge + pause)
    },
  )
})

describe('a call that waits', () => {
  it.each([100, 400, 900])(
    'gets the lock soon where its release has not reached the first node, with tries every %d ms',
    async (pause) => {
      const { servers, nodes, lock } = await held()
      const redlock = new Redlock({ nodes, retry: () => pause })
      const acquired = vi.fn()
      void redlock.acquire('key', { wait }).then(acquired)
      // Just after a try that asked all nodes.
      await vi.advanceTimersByTimeAsync(1)
      servers[0]!.fail()
      expect(await lock.release()).toBe('released')
      servers[0]!.recover()
      await vi.advanceTimersByTimeAsync(maxAge + pause)
      expect(acquired).toHaveBeenCalled()
    },
  )

  it.each([
    ['while all nodes are well', undefined],
    ['while the first node is down', 0],
    ['while the last node is down', 2],
  ])('sends few more requests than it has tries, %s', async (_, down) => {
    const { servers, nodes, asked, tries } = await held()
    if (down !== undefined) servers[down]!.fail()
    const redlock = new Redlock({ nodes, retry: () => 100 })
    const rejected = redlock.acquire('key', { wait }).catch((reason: unknown) => reason)
    await vi.advanceTimersByTimeAsync(wait)
    expect(isLockedError(await rejected)).toBe(true)
    expect(tries().length).toBeGreaterThan(90)
    expect(asked().length).toBeLessThan(1.6 * tries().length)
  })
})
