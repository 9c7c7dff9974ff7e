import type { Client } from '../local/client.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Refusal } from '../reports/results.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { checkNumber } from '../util/validate.ts'

// How many second looks one call may take, over all its split votes, whatever its retry strategy says:
// otherwise a burst whose leader has crashed would end without a winner.
const maxSecondLooks = 3

// Ms for which it must be possible to hold the lock, for another try to be worth it. Nodes that had
// less time to answer would look like an outage.
const minHold = 100

// Attempts where neither the options nor a `wait` set a limit.
const defaultAttempts = 10

/** Decides after each refusal of one call when it tries again, and when it gives up. */
export type RetrySchedule = {
  /** The number of tries so far; second looks do not count. */
  attempts: number
  /**
   * Ms until the next try, or false to give up.
   *
   * @param isAffordable - Whether the budget allows another try.
   * @param attemptTime - Ms that the last attempt took, where a split vote asks for a second look.
   * @throws {TypeError | RangeError} when the user's retry function returns no number.
   */
  readonly next: (
    result: Refusal,
    isAffordable: boolean,
    attemptTime: number | undefined,
  ) => number | false
}

/** The schedule of one call. `sinceCall` reads the ms since the call began. */
export const retrySchedule = (
  client: Client,
  { wait = Infinity, maxHold, retry = client.retry }: AcquireCallOptions,
  sinceCall: () => number,
): RetrySchedule => {
  const { random } = client
  // With a limit in time, and none in attempts, the time alone decides.
  const usual = wait < Infinity ? Infinity : defaultAttempts
  let secondLooks = 0
  let nextDelay: RetryFunction | undefined
  const schedule: RetrySchedule = {
    attempts: 1,
    next: (result, isAffordable, attemptTime) => {
      const isSecondLook = attemptTime !== undefined && secondLooks++ < maxSecondLooks
      const holdable = typeof maxHold === 'function' ? maxHold() - minHold : Infinity
      const left = Math.min(isSecondLook ? Infinity : wait - sinceCall(), holdable)
      if (left <= 0 || !isAffordable) return false
      // Made when it is needed: most calls are never refused.
      nextDelay ??= retryFunction(retry, random, usual)
      const delay = isSecondLook
        ? // As long as one or two attempts, or one more without `wait`: the leader has its quorum by then.
          attemptTime * ((wait > 0 ? 1 : 2) + random())
        : nextDelay(schedule.attempts++, result)
      if (delay === false) return false
      checkNumber('retry', delay, 0)
      return Math.min(delay, left)
    },
  }
  return schedule
}
