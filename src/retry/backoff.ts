import { checkDelay, checkFunction, checkInteger } from '../util/validate.ts'
import type { RetryFunction } from './retry.ts'

/**
 * Never retries.
 *
 * @example
 * ```ts
 * await redlock.acquire('report:7', { retry: noRetry })
 * ```
 */
export const noRetry: RetryFunction = () => false

/**
 * Waits `delay` ms after every try. Contenders that were refused together come back together.
 *
 * @throws `TypeError` or `RangeError` when the delay is not a number of ms.
 * @example
 * ```ts
 * const redlock = new Redlock({ nodes, retry: limitAttempts(20, fixedDelay(100)) })
 * ```
 */
export const fixedDelay = (delay: number): RetryFunction => {
  checkDelay('delay', delay)
  return () => delay
}

/**
 * Waits `step` ms after the first try, twice that after the second, and so on up to `max` ms.
 *
 * @throws `TypeError` or `RangeError` when an argument is not a number of ms.
 * @example
 * ```ts
 * const redlock = new Redlock({ nodes, retry: limitAttempts(8, linearDelay(50, 500)) })
 * ```
 */
export const linearDelay = (step: number, max: number = Infinity): RetryFunction => {
  checkDelay('step', step)
  checkDelay('max', max, step)
  return (attempt) => Math.min(step * attempt, max)
}

/**
 * Waits `first` ms after the first try, and twice as long after each further one, up to `max` ms.
 *
 * @throws `TypeError` or `RangeError` when an argument is not a number of ms.
 * @example
 * ```ts
 * const redlock = new Redlock({ nodes, retry: limitAttempts(8, exponentialDelay(20, 1_000)) })
 * ```
 */
export const exponentialDelay = (first: number, max: number = Infinity): RetryFunction => {
  checkDelay('first', first)
  checkDelay('max', max, first)
  return (attempt) => Math.min(first * 2 ** (attempt - 1), max)
}

/**
 * Waits a random time up to the delay of another strategy, so that contenders that were refused
 * together come back one by one.
 *
 * @throws `TypeError` when an argument is not a function.
 * @see {@link https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/}
 * @example
 * ```ts
 * const retry = limitAttempts(8, fullJitter(exponentialDelay(20, 1_000)))
 * const redlock = new Redlock({ nodes, retry })
 * ```
 */
export const fullJitter = (
  strategy: RetryFunction,
  random: () => number = Math.random,
): RetryFunction => {
  checkFunction('strategy', strategy)
  checkFunction('random', random)
  return mapDelay(strategy, (delay) => delay * random())
}

/**
 * Gives up after so many tries, the first included.
 *
 * @throws `TypeError` or `RangeError` when `attempts` is not a whole number above 0.
 * @example
 * ```ts
 * await redlock.acquire('report:7', { retry: limitAttempts(3, fixedDelay(200)) })
 * ```
 */
export const limitAttempts = (attempts: number, strategy: RetryFunction): RetryFunction => {
  checkInteger('attempts', attempts)
  checkFunction('strategy', strategy)
  return (attempt, result) => attempt < attempts && strategy(attempt, result)
}

/**
 * Waits at least until a quorum can come free by itself, for locks that are seldom released early, such
 * as a throttle's window or a lease.
 *
 * @throws `TypeError` when the strategy is not a function.
 * @example
 * ```ts
 * await redlock.acquire('nightly-report', { wait: 60_000, retry: notBeforeFree(fixedDelay(50)) })
 * ```
 */
export const notBeforeFree = (strategy: RetryFunction): RetryFunction => {
  checkFunction('strategy', strategy)
  return mapDelay(strategy, (delay, retryAfter) => Math.max(delay, retryAfter))
}

const mapDelay =
  (strategy: RetryFunction, change: (delay: number, retryAfter: number) => number): RetryFunction =>
  (attempt, result) => {
    const delay = strategy(attempt, result)
    return delay !== false && change(delay, result.retryAfter)
  }
