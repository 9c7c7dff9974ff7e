import type { Client } from './process/client.ts'
import { slowAfter } from './process/pace.ts'
import {
  currently,
  isFresh,
  isProven,
  joinQueue,
  type Knowledge,
  leaveQueue,
  type Waiter,
  type WaitQueue,
} from './process/wait-queue.ts'
import type { AcquireCallOptions } from './options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import { showNodes } from './results/errors.ts'
import { failsOpen } from './results/node-report.ts'
import type { Rejection } from './results/results.ts'
import { type RetryFunction, retryFunction, usualAttempts } from './retry/retry.ts'
import { type Waiting, waitingFor } from './retry/waiting.ts'
import { stopwatch } from '../util/clock.ts'
import { checkDelay, minTtl } from '../util/validate.ts'
import type { Acquisition, CallRound } from './acquisition.ts'
import { answerTimeoutOf, newAttempt, type Subject, subjectOf } from './attempt.ts'
import { errorOfCall } from './deadline.ts'
import { runRound } from './drive.ts'
import { acquiring } from './operations.ts'
import type { CallOutcome } from './outcome.ts'
import { rejectionOf, rejectUnsent, unheard, wasProbe } from './rejection.ts'
import { timeOfQuorum } from './rule.ts'
import { validateCall } from './validate-call.ts'

// One call: a loop of turns and pauses that ends when a turn succeeds, or when `retry` or `wait` ends the call.
//
// Calls in one process for the same keys form a queue. Only the call at its head asks the nodes, and the calls behind
// it share the rejections that it receives. The final rejection of a call always comes from a quorum of nodes.

/** A pause that has begun, or `none` if the next turn follows immediately; undefined if this turn was the last. */
type Pause = Promise<void> | 'none' | undefined

const isSuccess = ({ outcome }: CallRound): boolean => outcome === 'acquired' || outcome === 'found'

/** One call: its arguments, and the state of its loop. */
class Call<Result> {
  readonly #client: Client
  readonly #acquisition: Acquisition<Result>
  readonly #keys: readonly string[]
  readonly #options: AcquireCallOptions
  readonly #wait: number
  readonly #waiting: Waiting
  readonly #subject: Subject
  readonly #waiter: Waiter | undefined
  /** The knowledge that all calls of the queue share; the call's own if it has no queue. */
  readonly #shared: Pick<WaitQueue, 'known'>
  #retryDelay: RetryFunction | undefined
  #tries = 1
  #hasAsked = false
  #mustAskAll = false
  #isLastTry = false
  /** The length of the last pause, in ms. */
  #pause = 0
  // The state of this turn:
  /** The latest rejection: from this call's own round, or else from its queue. */
  #known: Knowledge | undefined
  /** Whether that rejection is fresh and belongs to another call of the queue. */
  #isShared = false
  /** Whether other calls of the queue come first. */
  #isBehind = false
  /** Whether the call can end with this rejection, because a quorum has recently confirmed it. */
  #isFinal = false

  constructor(
    client: Client,
    acquisition: Acquisition<Result>,
    keys: readonly string[],
    options: AcquireCallOptions,
  ) {
    const { metadata, signal, wait = Infinity, waitUntil } = options
    const { keysToAsk, namespace } = acquisition
    this.#client = client
    this.#acquisition = acquisition
    this.#keys = keys
    this.#options = options
    this.#wait = wait
    // A call with `wait: 0` makes one try without a time limit.
    this.#waiting = waitingFor(client.clock, wait || Infinity, signal)
    const asked = keysToAsk?.(keys) ?? keys
    this.#subject = subjectOf(client, namespace, asked, metadata, waitUntil)
    const mayQueue = wait > 0 && client.localQueue && this.isAffordable
    this.#waiter = mayQueue ? joinQueue(client, keys) : undefined
    this.#shared = this.#waiter?.queue ?? {}
  }

  get subject(): Subject {
    return this.#subject
  }

  /** Whether the budget covers one round. */
  get isAffordable(): boolean {
    return this.#subject.budget.affords(this.#client.nodes.length)
  }

  async run(): Promise<Result | Rejection> {
    const { signal } = this.#options
    try {
      for (;;) {
        signal?.throwIfAborted()
        const round = this.#isSpared() ? undefined : await this.#askNodes()
        if (round && isSuccess(round)) return this.#succeed(round)
        const rejection = this.#learn(round)
        const retry = this.#pauseBeforeTry(rejection)
        const pause = retry ?? this.#pauseBeforeLook(round)
        if (pause && pause !== 'none') await pause
        // During the pause, releases of slow nodes may have used up the reserved requests.
        if (!pause || (retry && !this.#mayRetry())) return this.#giveUp(rejection)
        if (retry) this.#tries++
      }
    } catch (error) {
      throw this.#errorOf(error)
    } finally {
      if (this.#waiter) leaveQueue(this.#client, this.#waiter)
    }
  }

  /** Whether this turn can skip the nodes, because another call in the queue asks them. */
  #isSpared(): boolean {
    const waiter = this.#waiter
    if (waiter?.isNotified) {
      waiter.isNotified = false
      this.#mustAskAll = true
    }
    this.#isBehind = waiter !== undefined && waiter.queue.waiters[0] !== waiter
    // Ignores a rejection from before this call, because an outage may have ended since.
    const { known } = this.#shared
    const told = known && known.age() <= this.#waiting.elapsed() ? known : undefined
    this.#known = told
    this.#isShared = isFresh(this.#client.pace, told, waiter ?? this.#shared)
    return !this.#mustAskAll && (this.#isShared || (this.#isBehind && !this.#isLastTry))
  }

  /** Runs one round with a new secret, so that a late release from an earlier round cannot end the new lock. */
  #askNodes(): Promise<CallRound> {
    const { cache, makeValue, nodes, pace, strategy: usual, ttl: usualTtl } = this.#client
    const { maxHold = Infinity, signal, strategy = usual, ttl: wanted = usualTtl } = this.#options
    const longest = Math.min(wanted, maxHold)
    const ttl = Math.max(minTtl, Math.floor(Math.min(longest, this.#timeToHold())))
    const attempt = newAttempt(this.#subject, makeValue(), ttl)
    // The first round shares the stopwatch of the call.
    const isFirst = this.#tries === 1 && !this.#hasAsked
    this.#hasAsked = true
    const oneIsEnough =
      (isFirst && strategy === 'frugal') || isProven(pace, this.#known, this.#pause)
    const mayProbe = oneIsEnough && !this.#mustAskAll && nodes.length > 1
    const deadline = this.#waiting.left()
    const { operation = acquiring, rule } = this.#acquisition
    return runRound<CallOutcome>(attempt, {
      operation,
      rule,
      isAllOrNothing: true,
      isProbe: mayProbe && deadline > pace.lastTry * slowAfter(pace, cache.took),
      // This uses `longest`, not `ttl`. Near the platform's time limit, the timeout would otherwise shrink so far that
      // slow nodes look like an outage.
      timeout: answerTimeoutOf(this.#client, longest),
      deadline,
      elapsed: isFirst ? this.#waiting.elapsed : undefined,
      signal,
    })
  }

  /** Stores the latest rejection: from this round, or else from another call in the queue. */
  #learn(round: CallRound | undefined): Rejection {
    const { pace } = this.#client
    this.#isFinal = this.#isShared && isProven(pace, this.#known)
    if (round) {
      this.#share(round)
      this.#isFinal = !wasProbe(round) || this.#tries === 1 || isProven(pace, this.#known)
    }
    const rejection = this.#known ? currently(this.#known) : unheard
    const { outcome } = round ?? {}
    if (outcome === 'contended' || outcome === 'stalemate') this.#emit('split', rejection)
    return rejection
  }

  /** Shares the rejection with the queue. */
  #share(round: CallRound): void {
    const told = this.#known
    // A round that the deadline cut short says less than the previous rejection.
    if (round.outcome === 'timeout' && told) return
    const { clock, quorum } = this.#client
    const age = stopwatch(clock)
    this.#known = this.#shared.known = {
      rejection: rejectionOf(round, this.#acquisition.reports),
      took: timeOfQuorum(round.nodes, quorum) ?? told?.took,
      by: this.#waiter ?? this.#shared,
      age,
      proven: wasProbe(round) ? (told?.proven ?? ((): number => Infinity)) : age,
    }
  }

  /** The longest pause, in ms, that leaves enough time for another try. */
  #timeToPause({ reason }: Rejection): number {
    const { took } = this.#known ?? {}
    const left = Math.min(this.#waiting.left(), this.#timeToHold())
    // An outage can end at any time, so half of the remaining time is left for another try.
    if (reason === 'unavailable' || took === undefined) return left / 2
    // If the clock steps back, `took` is negative. Without this limit, the pause would outlast the remaining time and
    // the call would never end.
    return Math.min(left, left - this.#client.pace.lastTry * took)
  }

  /** The delay before the next try, in ms; false if `retry`, the remaining time or the budget rules out another try. */
  #delayAfter(rejection: Rejection, limit: number): number | false {
    const { budget } = this.#subject
    const { nodes, random, retry: usual } = this.#client
    const wait = this.#wait
    // `limit` is NaN if the platform reports an invalid remaining time. The negated comparison then ends the call.
    if (wait <= 0 || !(limit >= 1) || !budget.mayAffordRetry(nodes.length)) return false
    const { retry = usual } = this.#options
    this.#retryDelay ??= retryFunction(retry, random, usualAttempts(wait))
    const isLast = wait < Infinity && !budget.mayAffordRetry(nodes.length, 2)
    const delay = this.#retryDelay({
      ...rejection,
      attempt: this.#tries,
      elapsed: this.#waiting.elapsed(),
      untilLast: isLast ? limit : undefined,
    })
    if (delay !== false) checkDelay('retry', delay)
    return delay
  }

  #pauseBeforeTry(rejection: Rejection): Pause {
    const { retry = this.#client.retry } = this.#options
    const waiter = this.#waiter
    const limit = this.#timeToPause(rejection)
    const delay = this.#delayAfter(rejection, limit)
    if (delay === false) return undefined
    if (this.#tries === 1) this.#emit('waiting', rejection)
    // If only `wait` limits the call, a call behind others sleeps until its turn. A limit on the tries applies to
    // waiting calls too, so each of their tries takes its usual pause.
    const isTimed =
      this.#wait < Infinity && typeof retry !== 'function' && retry.attempts === undefined
    const pause = this.#isBehind && isTimed ? limit : delay
    this.#mustAskAll = false
    this.#isLastTry = pause >= limit
    this.#pause = pause
    if (waiter?.isNotified) return 'none'
    const onSleep = waiter && ((wake: () => void): void => void (waiter.wake = wake))
    return this.#waiting.pause(Math.min(pause, limit), onSleep)
  }

  /** The pause before an extra look at the nodes, even if `retry` allows no further try. */
  #pauseBeforeLook(round: CallRound | undefined): Pause {
    if (this.#mustAskAll || !this.#mayRetry() || this.#waiting.left() <= 0) return undefined
    if (this.#mayHaveYieldedBoth(round)) {
      this.#tries++
      // After about one round trip, a single node shows which client has asked again.
      return this.#waiting.pause((0.8 + this.#client.random()) * (this.#known?.took ?? 0))
    }
    if (this.#isFinal) return undefined
    // The final rejection must come from a quorum, so the next turn asks all nodes.
    this.#mustAskAll = true
    return 'none'
  }

  /**
   * Whether this client and another one may both have yielded, so that the lock is free. Only the first try is repeated
   * for this reason.
   */
  #mayHaveYieldedBoth(round: CallRound | undefined): boolean {
    return round?.outcome === 'stalemate' && this.#tries === 1
  }

  #mayRetry(): boolean {
    return this.#subject.budget.affordsRetry(this.#client.nodes.length)
  }

  #succeed(round: CallRound): Result {
    if (round.outcome === 'acquired')
      this.#subject.emit?.({ type: 'acquired', id: round.attempt.id, ...this.#soFar() })
    return this.#acquisition.resultOf(round)
  }

  #giveUp(rejection: Rejection): Rejection {
    const { nodes, warn } = this.#client
    const isOutage = rejection.reason === 'unavailable'
    const { kind } = this.#subject.namespace
    const isPassed =
      this.#options.failOpen && isOutage && failsOpen(kind, rejection.nodes, nodes.length)
    this.#emit(isPassed ? 'failed-open' : 'rejected', rejection)
    if (isOutage)
      warn?.('ERL03', `too few nodes answer${showNodes(rejection.nodes)}`, nodes[0]!.name)
    return rejection
  }

  #errorOf(error: unknown): unknown {
    const isOfLock = this.#subject.namespace.kind === 'lock'
    const { known } = this.#shared
    return isOfLock ? errorOfCall(error, this.#keys, this.#options.signal, known) : error
  }

  #emit(type: 'split' | 'waiting' | 'failed-open' | 'rejected', rejection: Rejection): void {
    this.#subject.emit?.({ type, ...this.#soFar(), ...rejection })
  }

  #soFar(): { keys: readonly string[]; elapsed: number; attempts: number } {
    return { keys: this.#keys, elapsed: this.#waiting.elapsed(), attempts: this.#tries }
  }

  /** How long the caller can still hold the lock, in ms. */
  #timeToHold(): number {
    return this.#options.timeLeft?.() ?? Infinity
  }
}

/**
 * Tries until it acquires the lock, or until `retry` or `wait` ends the call.
 *
 * @throws the signal's reason; nothing stays locked then. The `cause` of a `TimeoutError` is the last rejection.
 */
export const runCall = async <Result>(
  client: Client,
  acquisition: Acquisition<Result>,
  key: string | readonly string[],
  options: AcquireCallOptions,
): Promise<Result | Rejection> => {
  const keys = checkKeys(key)
  validateCall(client, options)
  const call = new Call(client, acquisition, keys, options)
  return call.isAffordable ? call.run() : rejectUnsent(call.subject)
}
