import type { Refusal } from '../acquire/attempt.ts'
import { checkNumber, expect } from '../util/validate.ts'

/**
 * When to try again: `minDelay` to `maxDelay` ms at random after each of `attempts` tries; sooner
 * within that while the lock is seen to go from hand to hand.
 */
export type RetryOptions = {
  readonly attempts?: number
  readonly minDelay?: number
  readonly maxDelay?: number
}

/** Ms until the next try, or false to give up. `attempt` counts from 1. */
export type RetryFunction = (attempt: number, result: Refusal) => number | false

export type Retry = RetryOptions | RetryFunction

// How much of the way from `minDelay` to `maxDelay` is left at least.
const leastShare = 0.25

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
  let last: string | undefined
  let share = 1
  return (attempt, { retryAfter, nodes }) => {
    const holder = nodes.find((node) => node.holder)?.holder
    // A lock that goes from hand to hand is free every now and then, and soon again.
    const isMoving = last !== undefined && holder !== last
    share = isMoving ? Math.max(share / 2, leastShare) : Math.min(share * 2, 1)
    last = holder
    const most = minDelay + share * (maxDelay - minDelay)
    // If it can come free by itself meanwhile, a try before that is mostly wasted.
    const least = retryAfter < most ? Math.max(minDelay, retryAfter) : minDelay
    return attempt < attempts && least + random() * (most - least)
  }
}
