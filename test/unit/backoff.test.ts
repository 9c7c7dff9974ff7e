import { describe, expect, it, vi } from 'vitest'
import {
  exponentialDelay,
  fixedDelay,
  fullJitter,
  isLockedError,
  limitAttempts,
  linearDelay,
  noRetry,
  notBeforeFree,
  Redlock,
  type Refusal,
  type Retry,
} from '../../src/index.ts'
import { retryFunction } from '../../src/retry/retry.ts'
import { memoryNode } from '../../src/testing/index.ts'
import { systemClock } from '../../src/util/clock.ts'

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
    ['the default', {}, [150, 150]],
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
  const clockOf = (sleeps: number[]) => {
    let now = 0
    return {
      wall: () => now,
      monotonic: () => now,
      setTimer: (callback: () => void, delay: number) => {
        // Timers of 2,000 ms are the timeouts of rounds, which never fire here. The others are delays.
        if (delay === 2000) return () => {}
        sleeps.push(delay)
        const timer = setTimeout(() => {
          now += delay
          callback()
        }, 0)
        return () => clearTimeout(timer)
      },
    }
  }
  const held = async (): Promise<ReturnType<typeof memoryNode>> => {
    const node = memoryNode()
    await new Redlock({ nodes: [node] }).acquire('key', { ttl: 60_000 })
    return node
  }

  it('ends after `wait` ms, whatever the strategy returns', async () => {
    const sleeps: number[] = []
    const redlock = new Redlock({ nodes: [await held()], clock: clockOf(sleeps) })
    const outcome = redlock.acquire('key', { wait: 250, retry: fixedDelay(100) })
    await expect(outcome).rejects.toSatisfy(isLockedError)
    expect(sleeps).toEqual([100, 100, 50])
  })

  it('has no limit of attempts where `wait` is set, unless the caller sets one', async () => {
    const sleeps: number[] = []
    const redlock = new Redlock({ nodes: [await held()], clock: clockOf(sleeps), random: () => 0 })
    await expect(redlock.acquire('key', { wait: 2000 })).rejects.toSatisfy(isLockedError)
    expect(sleeps).toHaveLength(40)
    sleeps.length = 0
    const options = { wait: 2000, retry: { attempts: 3 } }
    await expect(redlock.acquire('key', options)).rejects.toSatisfy(isLockedError)
    expect(sleeps).toHaveLength(2)
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
    await vi.waitFor(() => expect(retry).toHaveBeenCalled())
    controller.abort('enough')
    expect(await outcome).toBe('enough')
    await vi.waitFor(() => expect(timers.size).toBe(0))
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
