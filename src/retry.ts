import type { Refusal } from './attempt.ts'

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
 * Full jitter: contenders that were refused together must not come back together.
 *
 * @see {@link https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/}
 */
export const fullJitter =
  (
    { attempts = 10, minDelay = 50, maxDelay = 250 }: RetryOptions,
    random: () => number,
  ): RetryFunction =>
  (attempt) =>
    attempt < attempts && minDelay + random() * (maxDelay - minDelay)
