import { isAffordable, mayBecomeAffordable, mayRetry } from '../local/budget.ts'
import type { Client } from '../local/client.ts'
import { slowAfter } from '../local/pace.ts'
import {
  currently,
  isFresh,
  isProven,
  joinQueue,
  type Knowledge,
  leaveQueue,
  type Waiter,
  type WaitQueue,
} from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import { showNodes } from '../reports/errors.ts'
import { failsOpen } from '../reports/node-report.ts'
import type { Refusal } from '../reports/results.ts'
import { type RetryFunction, retryFunction, usualAttempts } from '../retry/retry.ts'
import { sleep, type Stopwatch, stopwatch } from '../util/clock.ts'
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

// One call: it takes a turn, then pauses and takes another, until it has what it wants, or `retry` or `wait` ends it.
//
// Calls of one process for the same keys queue up. Only the first of the queue asks the nodes, and the others share
// the rejections that it receives. The last word of a call is always that of a quorum of nodes.

/** What a call sees before its turn. */
type Look = {
  /** What its queue was told last, if that is not older than the call. */
  readonly told: Knowledge | undefined
  /** Whether another call has just been told that. */
  readonly isShared: boolean
  /** Whether others of the queue come first. */
  readonly isBehind: boolean
  /** Whether others ask the nodes for this call. */
  readonly isSpared: boolean
}

/** What the call knows after its turn. */
type Turn = {
  /** How its round ended; undefined where the nodes were not asked. */
  readonly outcome: CallRound['outcome'] | undefined
  readonly known: Knowledge | undefined
  readonly rejection: Refusal
  /** Whether the rejection may be the last word: a quorum has said so lately. */
  readonly isFinal: boolean
  readonly isBehind: boolean
}

/** What follows a rejection: another turn. */
type Next = {
  readonly sleep: Promise<void> | undefined
  /** Whether it is another try, or only another look in the same one. */
  readonly isTry: boolean
  /** Whether the budget may have changed meanwhile. */
  readonly isPause: boolean
}

const isSuccess = ({ outcome }: CallRound): boolean => outcome === 'acquired' || outcome === 'found'

/** One call: what it was given, and what it has learned so far. */
class Call<Result> {
  readonly #client: Client
  readonly #acquisition: Acquisition<Result>
  readonly #keys: readonly string[]
  readonly #options: AcquireCallOptions
  readonly #wait: number
  readonly #elapsed: Stopwatch
  readonly #subject: Subject
  readonly #waiter: Waiter | undefined
  /** What it shares with its queue, if it is in one. */
  readonly #shared: Pick<WaitQueue, 'known'>
  #retryDelay: RetryFunction | undefined
  #tries = 1
  #hasAsked = false
  #mustAskAll = false
  #isLastTry = false
  /** Ms between the last two tries. */
  #pause = 0

  constructor(
    client: Client,
    acquisition: Acquisition<Result>,
    keys: readonly string[],
    options: AcquireCallOptions,
  ) {
    const { metadata, wait = Infinity, waitUntil } = options
    const { keysToAsk, namespace } = acquisition
    this.#client = client
    this.#acquisition = acquisition
    this.#keys = keys
    this.#options = options
    this.#wait = wait
    this.#elapsed = stopwatch(client.clock)
    const asked = keysToAsk?.(keys) ?? keys
    this.#subject = subjectOf(client, namespace, asked, metadata, waitUntil)
    const mayQueue = wait > 0 && client.localQueue && this.isAffordable
    this.#waiter = mayQueue ? joinQueue(client.queues, keys) : undefined
    this.#shared = this.#waiter?.queue ?? {}
  }

  get subject(): Subject {
    return this.#subject
  }

  /** Whether the nodes can be asked once. */
  get isAffordable(): boolean {
    return isAffordable(this.#subject.budget, this.#client.nodes.length)
  }

  async run(): Promise<Result | Refusal> {
    const { signal } = this.#options
    try {
      for (;;) {
        signal?.throwIfAborted()
        const look = this.#look()
        const round = look.isSpared ? undefined : await this.#askNodes(look.told)
        if (round && isSuccess(round)) return this.#succeed(round)
        const turn = this.#learn(look, round)
        const next = this.#pauseAfter(turn) ?? this.#lookAgain(turn)
        if (next?.sleep) await next.sleep
        // Releases of slow nodes may have spent the reserved requests meanwhile.
        if (!next || (next.isPause && !this.#mayRetry())) return this.#giveUp(turn.rejection)
        if (next.isTry) this.#tries++
      }
    } catch (error) {
      throw this.#errorOf(error)
    } finally {
      if (this.#waiter) leaveQueue(this.#client.queues, this.#waiter)
    }
  }

  #look(): Look {
    const waiter = this.#waiter
    if (waiter?.isNotified) {
      waiter.isNotified = false
      this.#mustAskAll = true
    }
    const isBehind = waiter !== undefined && waiter.queue.waiters[0] !== waiter
    // What is older than the call may be older than an outage.
    const { known } = this.#shared
    const told = known && known.age() <= this.#elapsed() ? known : undefined
    const isShared = isFresh(this.#client.pace, told, waiter ?? this.#shared)
    const isSpared = !this.#mustAskAll && (isShared || (isBehind && !this.#isLastTry))
    return { told, isShared, isBehind, isSpared }
  }

  /** One round with a secret of its own: a late release of an earlier one must not end its lock. */
  #askNodes(told: Knowledge | undefined): Promise<CallRound> {
    const { cache, makeValue, nodes, pace, strategy: usual, ttl: usualTtl } = this.#client
    const { maxHold, signal, strategy = usual, ttl: wanted = usualTtl } = this.#options
    const longest = typeof maxHold === 'number' ? Math.min(wanted, maxHold) : wanted
    const ttl = Math.max(minTtl, Math.floor(Math.min(longest, this.#platformLeft())))
    const attempt = newAttempt(this.#subject, makeValue(), ttl)
    // The times of the first round begin with the call.
    const isFirst = this.#tries === 1 && !this.#hasAsked
    this.#hasAsked = true
    const oneIsEnough = (isFirst && strategy === 'frugal') || isProven(pace, told, this.#pause)
    const mayProbe = oneIsEnough && !this.#mustAskAll && nodes.length > 1
    const deadline = this.#waitLeft()
    const { operation = acquiring, rule } = this.#acquisition
    return runRound<CallOutcome>(attempt, {
      operation,
      rule,
      isAllOrNothing: true,
      isProbe: mayProbe && deadline > pace.lastTry * slowAfter(pace, cache.took),
      // The end of the platform's time must not look like an outage.
      timeout: answerTimeoutOf(this.#client, longest),
      deadline,
      elapsed: isFirst ? this.#elapsed : undefined,
      signal,
    })
  }

  /** Takes over what the nodes, or others of the queue, say. */
  #learn({ told, isShared, isBehind }: Look, round: CallRound | undefined): Turn {
    const { pace } = this.#client
    let known = told
    let isFinal = isShared && isProven(pace, told)
    if (round) {
      // A round that was cut short says less than what is known already.
      if (round.outcome !== 'timeout' || !told) known = this.#share(round, told)
      isFinal = !wasProbe(round) || this.#tries === 1 || isProven(pace, known)
    }
    const outcome = round?.outcome
    const rejection = known ? currently(known) : unheard
    if (outcome === 'contended' || outcome === 'stalemate') this.#emit('split', rejection)
    return { outcome, known, rejection, isFinal, isBehind }
  }

  /** Shares what a round says that acquired nothing. */
  #share(round: CallRound, told: Knowledge | undefined): Knowledge {
    const { clock, quorum } = this.#client
    const age = stopwatch(clock)
    return (this.#shared.known = {
      refusal: rejectionOf(round, this.#acquisition.reports),
      took: timeOfQuorum(round.nodes, quorum) ?? told?.took,
      by: this.#waiter ?? this.#shared,
      age,
      proven: wasProbe(round) ? (told?.proven ?? ((): number => Infinity)) : age,
    })
  }

  /** The ms that remain for a pause, so that another try fits in. */
  #timeToPause({ known, rejection }: Turn): number {
    const left = Math.min(this.#waitLeft(), this.#platformLeft())
    // Nobody knows when an outage ends, so half of the time is kept for another try.
    if (rejection.reason === 'unavailable' || known?.took === undefined) return left / 2
    return left - this.#client.pace.lastTry * known.took
  }

  /** The ms until the next try; false if `retry`, the time or the budget allows none. */
  #delayAfter({ rejection }: Turn, limit: number): number | false {
    const { budget } = this.#subject
    const { nodes, random, retry: usual } = this.#client
    const wait = this.#wait
    if (wait <= 0 || limit < 1 || !mayBecomeAffordable(budget, nodes.length)) return false
    const { retry = usual } = this.#options
    this.#retryDelay ??= retryFunction(retry, random, usualAttempts(wait))
    const isLast = wait < Infinity && !mayBecomeAffordable(budget, nodes.length, 2)
    const delay = this.#retryDelay({
      ...rejection,
      attempt: this.#tries,
      elapsed: this.#elapsed(),
      untilLast: isLast ? limit : undefined,
    })
    if (delay !== false) checkDelay('retry', delay)
    return delay
  }

  /** A pause before another try, if there is one. */
  #pauseAfter(turn: Turn): Next | undefined {
    const { clock, retry: usual } = this.#client
    const { retry = usual, signal } = this.#options
    const waiter = this.#waiter
    const limit = this.#timeToPause(turn)
    const delay = this.#delayAfter(turn, limit)
    if (delay === false) return undefined
    if (this.#tries === 1) this.#emit('waiting', turn.rejection)
    // Only a limit of tries has to be counted. Without one, a call behind others sleeps until its turn comes.
    const isTimed =
      this.#wait < Infinity && typeof retry !== 'function' && retry.attempts === undefined
    const pause = turn.isBehind && isTimed ? limit : delay
    this.#mustAskAll = false
    this.#isLastTry = pause >= limit
    this.#pause = pause
    const onSleep = waiter && ((wake: () => void): void => void (waiter.wake = wake))
    const sleeping = waiter?.isNotified
      ? undefined
      : sleep(clock, Math.min(pause, limit), signal, onSleep)
    return { sleep: sleeping, isTry: true, isPause: true }
  }

  /** Another look without a pause, if the last word is not yet that of a quorum. */
  #lookAgain({ isFinal, known, outcome }: Turn): Next | undefined {
    const { clock, random } = this.#client
    const isStalemate = outcome === 'stalemate'
    const isOver = isFinal && !(isStalemate && this.#wait === 0 && this.#tries === 1)
    if (isOver || this.#mustAskAll || !this.#mayRetry() || this.#waitLeft() <= 0) return undefined
    if (!isStalemate) {
      this.#mustAskAll = true
      return { sleep: undefined, isTry: false, isPause: false }
    }
    // Both clients may have yielded. After about a round trip, one node knows which of them has come back.
    const pause = (0.8 + random()) * (known?.took ?? 0)
    return { sleep: sleep(clock, pause, this.#options.signal), isTry: true, isPause: false }
  }

  #mayRetry(): boolean {
    return mayRetry(this.#subject.budget, this.#client.nodes.length)
  }

  #succeed(round: CallRound): Result {
    if (round.outcome === 'acquired')
      this.#subject.emit?.({ type: 'acquired', id: round.attempt.id, ...this.#soFar() })
    return this.#acquisition.resultOf(round)
  }

  #giveUp(rejection: Refusal): Refusal {
    const { nodes, warn } = this.#client
    const isOutage = rejection.reason === 'unavailable'
    const { kind } = this.#subject.namespace
    const isPassed =
      this.#options.failOpen && isOutage && failsOpen(kind, rejection.nodes, nodes.length)
    this.#emit(isPassed ? 'failed-open' : 'rejected', rejection)
    if (isOutage) warn?.(`too few nodes answer${showNodes(rejection.nodes)}`, nodes[0]!.name)
    return rejection
  }

  #errorOf(error: unknown): unknown {
    const isOfLock = this.#subject.namespace.kind === 'lock'
    const { known } = this.#shared
    return isOfLock ? errorOfCall(error, this.#keys, this.#options.signal, known) : error
  }

  #emit(type: 'split' | 'waiting' | 'failed-open' | 'rejected', rejection: Refusal): void {
    this.#subject.emit?.({ type, ...this.#soFar(), ...rejection })
  }

  #soFar(): { keys: readonly string[]; elapsed: number; attempts: number } {
    return { keys: this.#keys, elapsed: this.#elapsed(), attempts: this.#tries }
  }

  /** Ms of its `wait`. A call without one tries once, for as long as that takes. */
  #waitLeft(): number {
    return this.#wait > 0 && this.#wait < Infinity ? this.#wait - this.#elapsed() : Infinity
  }

  /** Ms until the platform ends the function: a `maxHold` that is a function tells them. */
  #platformLeft(): number {
    const { maxHold } = this.#options
    return typeof maxHold === 'function' ? maxHold() : Infinity
  }
}

/**
 * Tries until the lock is acquired, or `retry` or `wait` ends the call.
 *
 * @throws the signal's reason; nothing stays locked then. A `TimeoutError` has the last rejection as its `cause`.
 */
export const runCall = async <Result>(
  client: Client,
  acquisition: Acquisition<Result>,
  key: string | readonly string[],
  options: AcquireCallOptions,
): Promise<Result | Refusal> => {
  const keys = checkKeys(key)
  validateCall(client, options)
  const call = new Call(client, acquisition, keys, options)
  return call.isAffordable ? call.run() : rejectUnsent(call.subject)
}
