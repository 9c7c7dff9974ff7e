import type { Refusal } from './attempt.ts'
import { checkNumber, expect } from './expect.ts'

/** When to try again: `minDelay` to `maxDelay` ms at random after each of `attempts` tries. */
export type RetryOptions = {
  readonly attempts?: number
  readonly minDelay?: number
  readonly maxDelay?: number
}

/** Ms until the next try, or false to give up. `attempt` counts from 1. */
export type RetryFunction = (attempt: number, result: Refusal) => number | false

export type Retry = RetryOptions | RetryFunction

/**
 * Makes a function of it. Full jitter: contenders that were refused together must not come back
 * together.
 *
 * @param usual - How many attempts, where the options do not say.
 * @throws {TypeError} when the options do not fit.
 * @see {@link https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/}
 */
export const retryFunction = (retry: Retry, random: () => number, usual: number): RetryFunction => {
  if (typeof retry === 'function') return retry
  const { attempts = usual, minDelay = 50, maxDelay = minDelay + 200 } = retry ?? {}
  expect(typeof retry === 'object', 'retry', 'an object or function', retry)
  checkNumber('retry.attempts', attempts, 1)
  checkNumber('retry.minDelay', minDelay, 0, maxDelay)
  return (attempt, { retryAfter }) => {
    // If it can come free by itself meanwhile, a try before that is mostly wasted.
    const least = retryAfter < maxDelay ? Math.max(minDelay, retryAfter) : minDelay
    return attempt < attempts && least + random() * (maxDelay - least)
  }
}
