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
  type WaitQueue,
} from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys } from '../protocol/keys.ts'
import { showNodes } from '../reports/errors.ts'
import { failsOpen, unsent } from '../reports/node-report.ts'
import type { Refusal } from '../reports/results.ts'
import { type RetryFunction, retryFunction, usualAttempts } from '../retry/retry.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { checkDelay, minTtl } from '../util/validate.ts'
import { runRound } from './drive.ts'
import { answerTimeoutOf, newAttempt, type Subject, subjectOf } from './attempt.ts'
import { timeOfQuorum } from './rule.ts'
import { acquiring } from './operations.ts'
import { errorOfCall } from './deadline.ts'
import type { Acquisition, CallRound } from './acquisition.ts'
import type { CallOutcome } from './outcome.ts'
import { rejectionOf, wasProbe } from './rejection.ts'
import { validateCall } from './validate-call.ts'

/** The refusal of a call in a queue that has been told nothing yet. The caller gets it if its `wait` is over by then. */
const queued: Refusal = { ok: false, reason: 'unavailable', retryAfter: 1000, nodes: [] }

/** Rejects a call of a request whose calls have used up the budget that they share. */
const rejectUnsent = ({ client: { nodes, warn }, keys, emit }: Subject): Refusal => {
  const error = new RedlockError(unsent)
  const reports = nodes.map(({ name }) => ({ node: name, status: 'error' as const, error }))
  const refusal: Refusal = { ok: false, reason: 'unavailable', retryAfter: 1000, nodes: reports }
  emit?.({ type: 'rejected', keys, elapsed: 0, attempts: 0, ...refusal })
  warn?.('the `budget` of a request is used up: raise it, or use fewer middleware', 'budget')
  return refusal
}

/**
 * Tries until the acquisition is won, or `retry` or `wait` ends the call.
 *
 * Callers of one process that wait for the same keys queue up. Only the head of the queue asks the
 * nodes, and the others share its refusals. The last word of a call is that of a quorum of nodes.
 *
 * @throws the signal's reason; nothing stays locked then. A `TimeoutError` has the last refusal as its `cause`.
 */
export const runCall = async <Result>(
  client: Client,
  acquisition: Acquisition<Result>,
  key: string | readonly string[],
  options: AcquireCallOptions,
): Promise<Result | Refusal> => {
  const { cache, clock, nodes, pace, queues, quorum, random, localQueue, warn } = client
  const { failOpen, maxHold, signal, ttl: wanted = client.ttl, wait = Infinity } = options
  const { metadata, waitUntil, retry: usual = client.retry, strategy = client.strategy } = options
  const keys = checkKeys(key)
  validateCall(client, options)

  const sinceCall = stopwatch(clock)
  const { namespace, keysToAsk, reports, resultOf } = acquisition
  const subject = subjectOf(client, namespace, keysToAsk?.(keys) ?? keys, metadata, waitUntil)
  const { budget, emit } = subject
  if (!isAffordable(budget, nodes.length)) return rejectUnsent(subject)
  const waiter = wait > 0 && localQueue ? joinQueue(queues, keys) : undefined
  const board: Pick<WaitQueue, 'known'> = waiter?.queue ?? {}
  const me = waiter ?? board
  // The time of the platform.
  const remaining = (): number => (typeof maxHold === 'function' ? maxHold() : Infinity)
  const longest = typeof maxHold === 'number' ? Math.min(wanted, maxHold) : wanted
  // Without a `wait` there is one try, and it may take its time.
  const left = (): number => (wait > 0 && wait < Infinity ? wait - sinceCall() : Infinity)
  // With a limit in time alone, a call behind others need not count its tries.
  const isTimed = wait < Infinity && typeof usual !== 'function' && usual.attempts === undefined
  let retry: RetryFunction | undefined
  let asksAll = false
  let isLast = false
  let tries = 1
  /** Ms between the last two tries. */
  let pause = 0
  let ballot: CallRound | undefined

  const soFar = () => ({ keys, elapsed: sinceCall(), attempts: tries })

  /** One ballot, with a secret of its own: a late release of another one must not end its lock. */
  const vote = (told: Knowledge | undefined): Promise<CallRound> => {
    const ttl = Math.max(minTtl, Math.floor(Math.min(longest, remaining())))
    const lease = newAttempt(subject, client.makeValue(), ttl)
    // Times of a ballot begin with it, and those of the first one with the call.
    const isFirst = tries === 1 && !ballot
    const isWanted = (isFirst && strategy === 'frugal') || isProven(pace, told, pause)
    const mayProbe = isWanted && !asksAll && nodes.length > 1
    const isProbe = mayProbe && left() > pace.lastTry * slowAfter(pace, cache.took)
    return runRound<CallOutcome>(lease, {
      rule: acquisition.rule,
      operation: acquisition.operation ?? acquiring,
      isAllOrNothing: true,
      isProbe,
      // The end of the platform's time must not look like an outage.
      timeout: answerTimeoutOf(client, longest),
      deadline: left(),
      elapsed: isFirst ? sinceCall : undefined,
      signal,
    })
  }

  try {
    for (;;) {
      signal?.throwIfAborted()
      if (waiter?.isNotified) {
        waiter.isNotified = false
        asksAll = true
      }
      const isBehind = waiter !== undefined && waiter.queue.waiters[0] !== waiter
      // What the call did not wait for may be older than an outage.
      const told = board.known && board.known.age() <= sinceCall() ? board.known : undefined
      const isShared = isFresh(pace, told, me)
      const asksNobody = !asksAll && (isShared || (isBehind && !isLast))
      let known = told
      let isFinal = isShared && isProven(pace, told)
      if (!asksNobody) {
        ballot = await vote(told)
        const { outcome: ended, attempt } = ballot
        if (ended === 'acquired') emit?.({ type: 'acquired', id: attempt.id, ...soFar() })
        if (ended === 'acquired' || ended === 'found') return resultOf(ballot)
        const took = timeOfQuorum(ballot.nodes, quorum) ?? told?.took
        const age = stopwatch(clock)
        const proven = wasProbe(ballot) ? (told?.proven ?? ((): number => Infinity)) : age
        const learned = { refusal: rejectionOf(ballot, reports), took, by: me, age, proven }
        // A ballot that was cut short says less than what is known already.
        if (ended !== 'timeout' || !told) board.known = known = learned
        isFinal = !wasProbe(ballot) || tries === 1 || isProven(pace, known)
      }
      const result = asksNobody ? undefined : ballot!.outcome
      const refusal = known ? currently(known) : queued
      if (result === 'stalemate' || result === 'contended')
        emit?.({ type: 'split', ...soFar(), ...refusal })

      // Is there time for one more ballot?
      const { took } = known ?? {}
      const isOutage = refusal.reason === 'unavailable'
      const isUnknown = isOutage || took === undefined
      const rest = Math.min(left(), remaining())
      const time = isUnknown ? rest / 2 : rest - pace.lastTry * took
      let delay: number | false = false
      if (wait > 0 && time >= 1 && mayBecomeAffordable(budget, nodes.length)) {
        retry ??= retryFunction(usual, random, usualAttempts(wait))
        const state = { ...refusal, attempt: tries, elapsed: sinceCall() }
        const isLastTry = wait < Infinity && !mayBecomeAffordable(budget, nodes.length, 2)
        delay = retry({ ...state, untilLast: isLastTry ? time : undefined })
        if (delay !== false) checkDelay('retry', delay)
      }
      if (delay !== false) {
        if (tries === 1) emit?.({ type: 'waiting', ...soFar(), ...refusal })
        // Others ask the nodes, and wake it when its turn comes.
        const nap = isBehind && isTimed ? time : delay
        asksAll = false
        isLast = nap >= time
        pause = nap
        const onSleep = waiter && ((wake: () => void): void => void (waiter.wake = wake))
        if (!waiter?.isNotified) await sleep(clock, Math.min(nap, time), signal, onSleep)
        // The releases of nodes that hung may have needed what was reserved.
        if (mayRetry(budget, nodes.length)) {
          tries++
          continue
        }
      } else if (
        (!isFinal || (result === 'stalemate' && !wait && tries === 1)) &&
        !asksAll &&
        mayRetry(budget, nodes.length) &&
        left() > 0
      ) {
        // Its rival gives up as well, or is about to win: one node knows which.
        if (result === 'stalemate') {
          await sleep(clock, (0.8 + random()) * (took ?? 0), signal)
          tries++
        } else asksAll = true
        continue
      }
      const passes = failOpen && isOutage && failsOpen(namespace.kind, refusal.nodes, nodes.length)
      emit?.({ type: passes ? 'failed-open' : 'rejected', ...soFar(), ...refusal })
      if (isOutage) warn?.(`too few nodes answer${showNodes(refusal.nodes)}`, nodes[0]!.name)
      return refusal
    }
  } catch (error) {
    throw namespace.kind === 'lock' ? errorOfCall(error, keys, signal, board.known) : error
  } finally {
    if (waiter) leaveQueue(queues, waiter)
  }
}
