import { checkFunctions, checkInteger, checkNumber } from '../util/validate.ts'
import type { RetryFunction } from './retry.ts'

/**
 * Never tries again.
 *
 * @example
 * ```ts
 * await redlock.acquire('invoice:7', { retry: noRetry })
 * ```
 */
export const noRetry: RetryFunction = () => false

/** Waits `delay` ms after every try. Contenders that were refused together come back together. */
export const fixedDelay = (delay: number): RetryFunction => {
  checkNumber('delay', delay, 0)
  return () => delay
}

/** Waits `step` ms after the first try, twice that after the second, and so on up to `most` ms. */
export const linearDelay = (step: number, most: number = Infinity): RetryFunction => {
  checkNumber('step', step, 0)
  checkNumber('most', most, step)
  return (attempt) => Math.min(step * attempt, most)
}

/** Waits `first` ms after the first try, and each time twice as long, up to `most` ms. */
export const exponentialDelay = (first: number, most: number = Infinity): RetryFunction => {
  checkNumber('first', first, 0)
  checkNumber('most', most, first)
  return (attempt) => Math.min(first * 2 ** (attempt - 1), most)
}

/**
 * Waits at random, up to what another strategy says: whoever was refused together comes back one
 * by one.
 *
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
  checkFunctions({ strategy, random })
  return changed(strategy, (delay) => delay * random())
}

/** Gives up after so many tries, the first included. */
export const limitAttempts = (attempts: number, strategy: RetryFunction): RetryFunction => {
  checkInteger('attempts', attempts)
  checkFunctions({ strategy })
  return (attempt, result) => attempt < attempts && strategy(attempt, result)
}

/**
 * Waits at least until a quorum can come free by itself, for locks that are seldom released early:
 * a throttle's window, a lease.
 */
export const notBeforeFree = (strategy: RetryFunction): RetryFunction => {
  checkFunctions({ strategy })
  return changed(strategy, (delay, retryAfter) => Math.max(delay, retryAfter))
}

const changed =
  (strategy: RetryFunction, change: (delay: number, retryAfter: number) => number): RetryFunction =>
  (attempt, result) => {
    const delay = strategy(attempt, result)
    return delay !== false && change(delay, result.retryAfter)
  }
