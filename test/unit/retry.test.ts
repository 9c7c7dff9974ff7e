import { describe, expect, it, vi } from 'vitest'
import type { RetryState } from '../../src/core/retry/retry.ts'
import {
  type AcquireOptions,
  isLockedError,
  isQuorumError,
  Redlock,
  type Rejection,
} from '../../src/index.ts'
import { retryFunction } from '../../src/core/retry/retry.ts'
import { memoryNode } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { eventually } from '../support/eventually.ts'
import { nodeThrough } from '../../tools/node-through.ts'

const rejection: Rejection = { ok: false, reason: 'locked', retryAfter: 400, nodes: [] }

describe('retry options', () => {
  it.each([
    ['the default', {}, [130, 130]],
    ['a range', { delay: 10, maxDelay: 20 }, [15, 15]],
    ['a longer delay alone, which moves the range', { delay: 500 }, [600, 600]],
    ['a limit of attempts', { attempts: 2, delay: 10, maxDelay: 20 }, [15, false]],
    ['no retry', { attempts: 1 }, [false]],
  ] as const)('%s', (_, options, expected) => {
    const next = retryFunction(options, () => 0.5, 10)
    expect(
      expected.map((_delay, index) => next({ ...rejection, attempt: index + 1, elapsed: 0 })),
    ).toEqual(expected)
  })

  it('wait at least until the lock can be free, if that is within the range of delays', () => {
    const next = retryFunction({ delay: 50, maxDelay: 250 }, () => 0, 10)
    const first = { ...rejection, attempt: 1, elapsed: 0 }
    expect(next({ ...first, retryAfter: 200 })).toBe(200)
    expect(next({ ...first, retryAfter: 20 })).toBe(50)
    expect(next({ ...first, retryAfter: 10_000 })).toBe(50)
  })

  const holder = (id: string): Rejection['nodes'] => [{ node: 'a', status: 'locked', holder: id }]
  const long = { ...rejection, attempt: 1, retryAfter: 60_000, nodes: holder('a') }

  it.each([
    ['not in the first second', {}, 1_000, 130],
    ['by three tenths of the time after it', {}, 5_000, 1_330],
    ['by ten seconds at most', {}, 600_000, 10_130],
    ['not where the pauses are set', { delay: 30, maxDelay: 230 }, 60_000, 130],
  ] as const)('grow while one holder keeps the lock, %s', (_, options, elapsed, pause) => {
    const next = retryFunction(options, () => 0.5, 10)
    expect(next({ ...long, elapsed })).toBe(pause)
  })

  it('are short again once the lock has gone to another holder', () => {
    const next = retryFunction({}, () => 1, 10)
    expect(next({ ...long, elapsed: 9_000 })).toBe(2_630)
    expect(next({ ...long, nodes: holder('b'), elapsed: 9_100 })).toBe(130)
  })

  it('are no longer than the lock can live', () => {
    const next = retryFunction({}, () => 0, 10)
    expect(next({ ...long, elapsed: 9_000, retryAfter: 400 })).toBe(400)
  })

  it('leave the last try that a budget allows to the end of the wait', () => {
    const last = { ...long, elapsed: 0, untilLast: 7_000 }
    expect(retryFunction({}, () => 0, 10)(last)).toBe(7_000)
    expect(retryFunction({ delay: 50 }, () => 0, 10)(last)).toBe(50)
  })
})

describe('a retry function', () => {
  it('is told the number of the try, and the rejection', async () => {
    const node = memoryNode()
    await new Redlock({ nodes: [node] }).acquire('key', { ttl: 60_000 })
    const states: RetryState[] = []
    const retry = (state: RetryState): number | false => {
      states.push(state)
      return state.attempt < 3 && 1
    }
    await expect(new Redlock({ nodes: [node] }).acquire('key', { retry })).rejects.toSatisfy(
      isLockedError,
    )
    expect(states.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(states[0]).toMatchObject({
      ok: false,
      reason: 'locked',
      retryAfter: expect.any(Number),
      nodes: [{ node: node.name, status: 'locked' }],
    })
  })
})

describe('a wait', () => {
  const held = async (): Promise<ReturnType<typeof memoryNode>> => {
    const node = memoryNode()
    await new Redlock({ nodes: [node] }).acquire('key', { ttl: 60_000 })
    return node
  }

  /** The virtual ms after which each request of the call was sent, and after which the call ended. */
  const timesOf = async (options: AcquireOptions, hangs = false) => {
    vi.useFakeTimers()
    try {
      const node = await held()
      const begun = Date.now()
      const asked: number[] = []
      const watched = nodeThrough(node, (_, send) => {
        asked.push(Date.now() - begun)
        return hangs ? new Promise(() => {}) : send()
      })
      const redlock = new Redlock({ nodes: [watched], advanced: { random: () => 0 } })
      const outcome = redlock.acquire('key', options)
      const ended = outcome.catch((error: unknown) => ({ error, after: Date.now() - begun }))
      await vi.advanceTimersByTimeAsync(30_000)
      return { asked, ...((await ended) as { error: unknown; after: number }) }
    } finally {
      vi.useRealTimers()
    }
  }

  it('ends after `wait` ms, whatever the function returns', async () => {
    const { asked, error, after } = await timesOf({ wait: 250, retry: () => 100 })
    expect(isLockedError(error)).toBe(true)
    expect(asked).toEqual([0, 100, 200, 250])
    expect(after).toBe(250)
  })

  it('ends after `wait` ms if a node hangs', async () => {
    const { error, after } = await timesOf({ wait: 250 }, true)
    expect(isQuorumError(error)).toBe(true)
    expect(after).toBe(250)
  })

  it('has no limit of attempts where `wait` is set, unless the caller sets one', async () => {
    expect((await timesOf({ wait: 2000 })).asked.length).toBeGreaterThan(40)
    expect((await timesOf({ wait: 2000, retry: { attempts: 3 } })).asked).toHaveLength(3)
  })

  it('ends when its signal aborts', async () => {
    const timers = new Set<symbol>()
    const setTimer: typeof systemClock.setTimer = (callback, delay) => {
      const timer = Symbol(`${delay}`)
      timers.add(timer)
      const cancel = systemClock.setTimer(callback, delay)
      return () => {
        timers.delete(timer)
        cancel()
      }
    }
    const redlock = new Redlock({
      nodes: [await held()],
      advanced: { clock: { ...systemClock, setTimer } },
    })
    const controller = new AbortController()
    const retry = vi.fn(() => 3_600_000)
    const waiting = redlock.acquire('key', { signal: controller.signal, retry })
    const outcome = waiting.catch((reason: unknown) => reason)
    await eventually(() => expect(retry).toHaveBeenCalled())
    controller.abort('enough')
    expect(await outcome).toBe('enough')
    await eventually(() => expect(timers.size).toBe(0))
  })

  it.each([Number.NaN, -1, '100', undefined, null, true])(
    'is rejected if the function returns %o',
    async (delay) => {
      const redlock = new Redlock({ nodes: [await held()] })
      const outcome = redlock.acquire('key', { retry: () => delay as number })
      await expect(outcome).rejects.toThrow('`retry` must be ')
    },
  )
})
