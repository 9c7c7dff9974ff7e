import type { Refusal } from './attempt.ts'
import { expect } from './expect.ts'

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
export const retryFunction = (retry: Retry, random: () => number, usual = 10): RetryFunction => {
  if (typeof retry === 'function') return retry
  const { attempts = usual, minDelay = 50, maxDelay = minDelay + 200 } = retry ?? {}
  const fits = attempts > 0 && minDelay >= 0 && maxDelay >= minDelay && maxDelay < Infinity
  expect(
    typeof retry === 'object' && fits,
    'retry',
    'a function or { attempts > 0, 0 <= minDelay <= maxDelay }',
    retry,
  )
  return (attempt) => attempt < attempts && minDelay + random() * (maxDelay - minDelay)
}
