import type { Rejection } from '../results/results.ts'
import { lockDelay, lockSpread, maxGrowth, steadyHold } from './times.ts'
import { checkDelay, checkNumber, checkObject, checkOptions } from '../../util/validate.ts'

/**
 * Retries after a random pause from `delay` to `maxDelay` ms, up to `attempts` tries in total. While the lock keeps
 * changing holders, the pauses are in the lower part of that range. If neither `delay` nor `maxDelay` is set, the
 * pauses grow once a holder has kept the lock for more than a second.
 */
export type RetryOptions = {
  readonly attempts?: number
  readonly delay?: number
  readonly maxDelay?: number
}

/**
 * The input of a retry function: the rejection of the last try, the number of tries so far, and the ms since the call
 * began.
 */
export type RetryState = Rejection & {
  readonly attempt: number
  readonly elapsed: number
  /** Ms that are left for a pause, if the budget allows only one more try. @internal */
  readonly untilLast?: number | undefined
}

/** Returns the pause before the next try in ms, or false to give up. `attempt` counts from 1. */
export type RetryFunction = (state: RetryState) => number | false

export type Retry = RetryOptions | RetryFunction

/** The default number of attempts: no limit for a call with a time limit, otherwise 10. */
export const usualAttempts = (wait: number): number => (wait < Infinity ? Infinity : 10)

// How fast the pauses grow, as a share of the time since `steadyHold`. On average, a call then notices a release within
// a seventh of the time that the lock was held.
const growth = 0.3

// The smallest part of the range from `delay` to `maxDelay` that is used.
const minShare = 0.25

/**
 * Creates a retry function from the options. Its jitter keeps clients that were rejected together from retrying
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
    // A lock that has changed holders was free a moment ago, and will probably be free again soon.
    const isMoving = lastHolder !== undefined && holder !== lastHolder
    share = isMoving ? Math.max(share / 2, minShare) : Math.min(share * 2, 1)
    if (isMoving) movedAt = elapsed
    lastHolder = holder
    // The last try that the budget allows takes place at the end of the wait.
    if (mayGrow && untilLast !== undefined) return untilLast
    // A lock that has been held for a long time will probably be held for about as long again.
    const grown = mayGrow ? Math.min(growth * (elapsed - movedAt - steadyHold), maxGrowth) : 0
    // The growth is limited so that a try follows soon after the lock can expire.
    const from = delay + Math.max(0, Math.min(grown, retryAfter - delay))
    const longest = from + share * (maxDelay - delay)
    // If the lock can expire within the range, an earlier try is usually wasted.
    const shortest = retryAfter < longest ? Math.max(from, retryAfter) : from
    return shortest + random() * (longest - shortest)
  }
}
