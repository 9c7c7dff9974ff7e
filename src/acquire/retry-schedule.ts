import type { Client } from '../local/client.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Refusal } from '../reports/results.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { checkDelay } from '../util/validate.ts'

// How many second looks one call may take, over all its split votes, whatever its retry strategy says:
// otherwise a burst whose leader has crashed would end without a winner. There are more of them while
// the rivals change, since nobody holds the lock then; but a call with a `wait` tries again anyway.
const [maxLooks, maxLooksAtRivals] = [4, 12]

// The look from which on the delays grow no more.
const maxSpread = 4

// Ms for which it must be possible to hold the lock, for another try to be worth it, and the same in times
// that a quorum took to answer. Nodes that had less time to answer would look like an outage.
const [minHold, minHoldTimes] = [200, 4]

// How long the last try takes, in times that a quorum took to answer. The nodes answer in different
// times. A call behind others asks one node first.
const [lastTry, lastTryBehind] = [1.5, 2.5]

// The share of the remaining time for which a call behind others sleeps: how long the nodes take may change.
const napShare = 0.9

/** The number of attempts where the options set no limit: with a limit in time, the time alone decides. */
export const usualAttempts = (wait: number): number => (wait < Infinity ? Infinity : 10)

/** The knowledge of a refused call when it decides whether to try again. */
export type RetryState = {
  readonly result: Refusal
  /** Whether the budget allows another try, or may do so in time. */
  readonly isAffordable: boolean
  /** Whether others of its queue ask the nodes. */
  readonly isBehind: boolean
  /** Whether its turn has just come, while it slept. */
  readonly isNext: boolean | undefined
  /** Ms that a quorum took to answer; undefined before the first answer. */
  readonly took: number | undefined
  /** Whether a split vote asks for a second look. */
  readonly looksAgain: boolean
  /** Whether the call led that split vote. */
  readonly hasLed: boolean
  /** Whether the rivals that it met only try, and none of them holds the lock. */
  readonly hasNewRivals: boolean
}

/** Decides after each refusal of one call when it tries again, and when it gives up. */
export type RetrySchedule = {
  /** The number of tries so far; second looks do not count. */
  attempts: number
  /** Whether `wait` leaves no time for another try after the next. */
  isLast: boolean
  /** Whether the next try is a second look. */
  isLook: boolean
  /** Whether the call may not look again after the next try, should the vote be split once more. */
  isLastLook: boolean
  /** Whether the platform is about to end the function, so that the nodes have little time to answer. */
  isShort: boolean
  /** Reads the ms until `wait` ends. */
  readonly left: () => number
  /**
   * Ms until the next try, or false to give up.
   *
   * @throws `TypeError` or `RangeError` when the user's retry function returns no number.
   */
  readonly next: (state: RetryState) => number | false
}

/** The schedule of one call. `sinceCall` reads the ms since the call began. */
export const retrySchedule = (
  client: Client,
  { wait = Infinity, maxHold, retry = client.retry }: AcquireCallOptions,
  sinceCall: () => number,
): RetrySchedule => {
  const { random } = client
  // With a limit in time alone, a call behind others need not count its tries.
  const isTimed = wait < Infinity && typeof retry !== 'function' && retry.attempts === undefined
  let looks = 0
  let nextDelay: RetryFunction | undefined

  /** Ms until a second look: the leader has asked again by then. Later looks are more spread out. */
  const lookDelay = (took: number): number =>
    took * (0.85 + random() / 5 + Math.min(looks - 1, maxSpread) * (0.5 + random() / 2))

  /** Ms that are left before the last try must begin. */
  const spare = ({ result, isBehind, took }: RetryState): number => {
    const left = schedule.left()
    if (left === Infinity) return left
    // In an outage, and before the first answer, nobody knows how long the nodes will take.
    if (result.reason === 'unavailable' || took === undefined) return left / 2
    const spare = left - took * (isBehind ? lastTryBehind : lastTry)
    // The first node that a frugal call asks may be a slow one, and says little of the others.
    const isFirst = schedule.attempts === 1 && !isBehind && result.nodes.length < client.quorum
    return isFirst ? Math.max(spare, left / 2) : spare
  }

  const schedule: RetrySchedule = {
    attempts: 1,
    isLast: false,
    isLook: false,
    isLastLook: false,
    isShort: false,
    // Without a `wait` there is one try, and it may take its time.
    left: () => (wait > 0 ? wait - sinceCall() : Infinity),
    next: (state) => {
      const limit = wait <= 0 && state.hasNewRivals ? maxLooksAtRivals : maxLooks
      const isLook = state.looksAgain && looks < limit
      schedule.isLook = isLook
      // A leader in vain has most likely met a holder.
      if (isLook) looks += state.hasLed ? 2 : 1
      schedule.isLastLook = looks >= limit
      if (!state.isAffordable || (wait <= 0 && !isLook)) return false
      const left = spare(state)
      const reserve = Math.max(minHold, minHoldTimes * (state.took ?? 0))
      const remaining = typeof maxHold === 'function' ? maxHold() : Infinity
      const holdable = remaining - reserve
      // A timer may have fired early.
      if (left < 1 || holdable <= 0) return false
      // Made when it is needed: most calls are never refused.
      nextDelay ??= retryFunction(retry, random, usualAttempts(wait))
      const delay = isLook ? lookDelay(state.took!) : nextDelay(schedule.attempts++, state.result)
      if (delay === false) return false
      checkDelay('retry', delay)
      schedule.isLast = delay >= left
      schedule.isShort = remaining - delay < client.ttl
      // Others ask the nodes, and wake it when its turn comes.
      const nap = state.isBehind && isTimed ? Math.max(delay, left * napShare) : delay
      // The rest of a delay that has begun at some time.
      return Math.min(state.isNext ? delay * random() : nap, left, holdable)
    },
  }
  return schedule
}
