import type { Rejection } from '../results/results.ts'
import { lockDelay, lockSpread, maxGrowth, steadyHold } from './times.ts'
import { checkDelay, checkNumber, checkObject, checkOptions } from '../../util/validate.ts'

/**
 * Retries after a random time from `delay` to `maxDelay` ms, up to `attempts` tries in all. While the lock changes
 * holders, the pauses are in the lower part of that range. Without `delay` and `maxDelay`, the pauses grow while one
 * holder keeps the lock for more than a second.
 */
export type RetryOptions = {
  readonly attempts?: number
  readonly delay?: number
  readonly maxDelay?: number
}

/** The input of a retry function: the rejection of the last try, and the tries and the ms since the call began. */
export type RetryState = Rejection & {
  readonly attempt: number
  readonly elapsed: number
  /** Ms until the end of the wait, if the budget allows only one more try. @internal */
  readonly untilLast?: number | undefined
}

/** Returns the ms until the next try, or false to give up. `attempt` counts from 1. */
export type RetryFunction = (state: RetryState) => number | false

export type Retry = RetryOptions | RetryFunction

/** The number of attempts if the options set no limit: with a time limit, only the time decides. */
export const usualAttempts = (wait: number): number => (wait < Infinity ? Infinity : 10)

// The growth of the pauses, as a share of the time since `steadyHold`. On average, a call then notices a release within
// a seventh of the hold.
const growth = 0.3

// The minimum part of the range from `delay` to `maxDelay`.
const minShare = 0.25

/**
 * Creates a retry function from the options, with full jitter: clients that were rejected together must not return
 * together.
 *
 * @param usual - The default number of attempts.
 * @throws `TypeError` or `RangeError` if an option is wrong.
 * @see {@link https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/}
 */
export const retryFunction = (retry: Retry, random: () => number, usual: number): RetryFunction => {
  if (typeof retry === 'function') return retry
  const { attempts = usual, delay = lockDelay, maxDelay = delay + lockSpread } = retry ?? {}
  const mayGrow = retry?.delay === undefined && retry?.maxDelay === undefined
  checkObject('retry', 'an object or function', retry)
  checkOptions('retry', retry, 'attempts, delay, maxDelay')
  checkNumber('retry.attempts', attempts, 1)
  checkDelay('retry.delay', delay)
  checkDelay('retry.maxDelay', maxDelay, delay)
  let lastHolder: string | undefined
  let share = 1
  let movedAt = 0
  return ({ attempt, elapsed, retryAfter, nodes, untilLast }) => {
    if (attempt >= attempts) return false
    const holder = nodes.find((node) => node.holder)?.holder
    // A lock that changes holders has just been free, and soon will be again.
    const isMoving = lastHolder !== undefined && holder !== lastHolder
    share = isMoving ? Math.max(share / 2, minShare) : Math.min(share * 2, 1)
    if (isMoving) movedAt = elapsed
    lastHolder = holder
    // The last try that the budget allows comes at the end of the wait.
    if (mayGrow && untilLast !== undefined) return untilLast
    // A lock that has been held for a long time will be held for about as long again.
    const grown = mayGrow ? Math.min(growth * (elapsed - movedAt - steadyHold), maxGrowth) : 0
    // If the lock can expire sooner, a try is worthwhile then.
    const from = delay + Math.max(0, Math.min(grown, retryAfter - delay))
    const longest = from + share * (maxDelay - delay)
    // If the lock can expire within the range, a try before that is mostly wasted.
    const shortest = retryAfter < longest ? Math.max(from, retryAfter) : from
    return shortest + random() * (longest - shortest)
  }
}
