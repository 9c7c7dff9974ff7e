import type { Client } from '../local/client.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Refusal } from '../reports/results.ts'
import { type RetryFunction, retryFunction } from '../retry/retry.ts'
import { checkNumber } from '../util/validate.ts'

// How often a client looks again after a split vote, whatever its retry strategy says: otherwise a
// burst whose leader has crashed would end without a winner.
const maxSecondLooks = 3

// Ms for which it must be possible to hold the lock, for another try to be worth it. Nodes that had
// less time to answer would look like an outage.
const minHold = 100

// Attempts where neither the options nor a `wait` set a limit.
const defaultAttempts = 10

/** Decides after each refusal of one call when it tries again, and when it gives up. */
export class RetrySchedule {
  /** The number of tries so far; second looks do not count. */
  attempts = 1
  readonly #client: Client
  readonly #options: AcquireCallOptions
  readonly #sinceCall: () => number
  #secondLooks = 0
  #retry: RetryFunction | undefined

  /** @param sinceCall - Reads the ms since the call began. */
  constructor(client: Client, options: AcquireCallOptions, sinceCall: () => number) {
    this.#client = client
    this.#options = options
    this.#sinceCall = sinceCall
  }

  /** Ms that are left to wait for the lock, so that it can still be held. */
  #timeLeft(isSecondLook: boolean): number {
    const { wait = Infinity, maxHold } = this.#options
    const holdable = typeof maxHold === 'function' ? maxHold() - minHold : Infinity
    return Math.min(isSecondLook ? Infinity : wait - this.#sinceCall(), holdable)
  }

  /**
   * Ms until the next try, or false to give up.
   *
   * @param isAffordable - Whether the budget allows another try.
   * @param attemptTime - Ms that the last attempt took, where a split vote asks for a second look.
   * @throws {TypeError | RangeError} when the user's retry function returns no number.
   */
  next(result: Refusal, isAffordable: boolean, attemptTime: number | undefined): number | false {
    const { random, retry } = this.#client
    const { wait = Infinity } = this.#options
    const isSecondLook = attemptTime !== undefined && this.#secondLooks++ < maxSecondLooks
    const left = isAffordable ? this.#timeLeft(isSecondLook) : 0
    // With a limit in time, and none in attempts, the time alone decides.
    const usual = wait < Infinity ? Infinity : defaultAttempts
    this.#retry ??= retryFunction(this.#options.retry ?? retry, random, usual)
    if (left <= 0) return false
    // About as long as another attempt takes: the leader has its quorum by then.
    const delay = isSecondLook
      ? attemptTime * ((wait > 0 ? 1 : 2) + random())
      : this.#retry(this.attempts++, result)
    if (delay === false) return false
    checkNumber('retry', delay, 0)
    return Math.min(delay, left)
  }
}
