import { describe, expect, it, vi } from 'vitest'
import {
  type AcquireOptions,
  exponentialDelay,
  fixedDelay,
  fullJitter,
  isLockedError,
  isQuorumError,
  limitAttempts,
  linearDelay,
  type LockNode,
  noRetry,
  notBeforeFree,
  Redlock,
  type Refusal,
  type Retry,
} from '../../src/index.ts'
import { retryFunction } from '../../src/retry/retry.ts'
import { memoryNode } from '../../src/testing/index.ts'
import { systemClock } from '../../src/util/clock.ts'
import { eventually } from '../support/eventually.ts'

const refusal: Refusal = { ok: false, reason: 'locked', retryAfter: 400, nodes: [] }
const delays = (strategy: Retry, count: number): (number | false)[] =>
  Array.from({ length: count }, (_, index) =>
    retryFunction(strategy, () => 0.5, 10)(index + 1, refusal),
  )

describe('a retry strategy', () => {
  it.each([
    ['none', noRetry, [false, false]],
    ['fixed', fixedDelay(30), [30, 30, 30]],
    ['linear', linearDelay(30, 80), [30, 60, 80, 80]],
    ['exponential', exponentialDelay(30, 200), [30, 60, 120, 200, 200]],
    ['full jitter', fullJitter(fixedDelay(30), () => 0.5), [15, 15]],
    ['limited', limitAttempts(3, fixedDelay(30)), [30, 30, false, false]],
    ['not before the lock can be free', notBeforeFree(linearDelay(300)), [400, 600]],
    [
      'composed',
      limitAttempts(
        4,
        fullJitter(exponentialDelay(40), () => 0.5),
      ),
      [20, 40, 80, false],
    ],
    ['composed around none', fullJitter(notBeforeFree(noRetry)), [false]],
    ['the default', {}, [130, 130]],
    ['options', { attempts: 2, minDelay: 10, maxDelay: 20 }, [15, false]],
  ] as const)('%s', (_, strategy, expected) => {
    expect(delays(strategy, expected.length)).toEqual(expected)
  })

  it('waits at least until the lock can be free, if that is within the range of delays', () => {
    const next = retryFunction({ minDelay: 50, maxDelay: 250 }, () => 0, 10)
    expect(next(1, { ...refusal, retryAfter: 200 })).toBe(200)
    expect(next(1, { ...refusal, retryAfter: 20 })).toBe(50)
    expect(next(1, { ...refusal, retryAfter: 10_000 })).toBe(50)
  })

  it.each([
    ['delay', () => fixedDelay(-1)],
    ['step', () => linearDelay(Number.NaN)],
    ['max', () => linearDelay(10, 5)],
    ['first', () => exponentialDelay('1' as never)],
    ['attempts', () => limitAttempts(0, noRetry)],
    ['strategy', () => limitAttempts(2, undefined as never)],
    ['strategy', () => fullJitter({} as never)],
    ['strategy', () => notBeforeFree(5 as never)],
  ])('rejects an invalid %s', (option, make) => {
    expect(make).toThrow(`Expected \`${option}\` to be `)
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
      const run: LockNode['run'] = (call, signal) => {
        asked.push(Date.now() - begun)
        return hangs ? new Promise(() => {}) : node.run(call, signal)
      }
      const redlock = new Redlock({ nodes: [{ name: 'node', run }], random: () => 0 })
      const outcome = redlock.acquire('key', options)
      const ended = outcome.catch((error: unknown) => ({ error, after: Date.now() - begun }))
      await vi.advanceTimersByTimeAsync(30_000)
      return { asked, ...((await ended) as { error: unknown; after: number }) }
    } finally {
      vi.useRealTimers()
    }
  }

  it('ends after `wait` ms, whatever the strategy returns', async () => {
    const { asked, error, after } = await timesOf({ wait: 250, retry: fixedDelay(100) })
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
    const redlock = new Redlock({ nodes: [await held()], clock: { ...systemClock, setTimer } })
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
    'is rejected if the strategy returns %o',
    async (delay) => {
      const redlock = new Redlock({ nodes: [await held()] })
      const outcome = redlock.acquire('key', { retry: () => delay as number })
      await expect(outcome).rejects.toThrow('Expected `retry` to be ')
    },
  )
})
