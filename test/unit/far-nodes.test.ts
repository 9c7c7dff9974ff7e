import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { recordedNodes } from '../support/recorded-nodes.ts'

// A frugal client all of whose nodes are equally far away: none of them is slow, so it has no reason to
// ask another one before the first has answered.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The result of some work, for which time passes. */
const settled = async <T>(work: Promise<T>): Promise<T> => {
  const state = { isOver: false }
  void work.then(() => (state.isOver = true))
  while (!state.isOver) await vi.advanceTimersByTimeAsync(10)
  return work
}

/** Far nodes, where somebody holds the lock on `held`, and a client that has asked them before. */
const farNodes = async (distance: number, strategy: 'frugal' | 'parallel' = 'frugal') => {
  const recorded = recordedNodes(3)
  await new Redlock({ nodes: recorded.servers }).acquire('held', { ttl: 600_000 })
  for (const server of recorded.servers) server.delay(distance)
  const redlock = new Redlock({ nodes: recorded.nodes, strategy, ttl: 60_000 })
  const first = await settled(redlock.acquire('first'))
  await settled(first.release())
  return { redlock, recorded, before: recorded.asked().length }
}

describe.each([240, 300, 450])('a frugal call whose nodes are all %d ms away', (distance) => {
  it('is rejected after one request to the first node, each time', async () => {
    const { redlock, recorded, before } = await farNodes(distance)
    const took: number[] = []
    for (let call = 0; call < 5; call++) {
      const begun = performance.now()
      const result = await settled(redlock.tryAcquire('held'))
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      took.push(performance.now() - begun)
    }
    expect(Math.max(...took)).toBeLessThan(distance + 50)
    expect(recorded.asked().slice(before)).toEqual(['a', 'a', 'a', 'a', 'a'])
  })

  it('asks the others once the first has granted the lock', async () => {
    const { redlock, recorded, before } = await farNodes(distance)
    const running = redlock.tryAcquire('free')
    await vi.advanceTimersByTimeAsync(distance - 1)
    expect(recorded.asked().slice(before)).toEqual(['a'])
    expect(await settled(running)).toMatchObject({ ok: true })
    expect(recorded.asked().slice(before)).toEqual(['a', 'b', 'c'])
  })

  it('costs no more requests than a parallel one, also in a new process', async () => {
    const cost = async (strategy: 'frugal' | 'parallel'): Promise<number> => {
      const { redlock, recorded } = await farNodes(distance, strategy)
      for (let call = 0; call < 5; call++) {
        await settled(redlock.tryAcquire('held'))
        const lock = await settled(redlock.acquire('free'))
        await settled(lock.release())
      }
      return recorded.asked().length
    }
    expect(await cost('frugal')).toBeLessThanOrEqual(await cost('parallel'))
  })
})
