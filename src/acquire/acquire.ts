import { type Client } from '../local/client.ts'
import {
  currentRefusal,
  isFresh,
  isHead,
  joinQueue,
  leaveQueue,
  type News,
  newsOf,
  shareNews,
  takeNotice,
} from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys, type Namespace } from '../protocol/keys.ts'
import { isAffordable, type Lease, leaseFactory } from '../quorum/lease.ts'
import type { Refusal } from '../reports/results.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { type Attempt, attempt } from './attempt.ts'
import { nodeToProbe, probeChooser } from './probe.ts'
import type { AcquireResult } from './results.ts'
import { retrySchedule } from './retry-schedule.ts'
import { isOwed, lookProbe, looksAgain } from './second-look.ts'
import { validateCall } from './validate-call.ts'

/** The outcome of one try of the acquire loop. */
type Try = {
  readonly result: AcquireResult
  /** Whether the refusal comes from one node or another caller, so that all nodes should confirm it. */
  readonly isHearsay?: boolean | undefined
  /** Whether a split vote asks for a second look. */
  readonly looksAgain?: boolean
  /** Whether this client led a split vote, and got no quorum. */
  readonly hasLed?: boolean | undefined
}

// The refusal of a call in a queue that has had no news yet. It is never returned.
const queued: Refusal = { ok: false, reason: 'locked', retryAfter: 1000, nodes: [] }

/**
 * Tries until the lock is acquired, or `retry` or `wait` say that it is enough.
 *
 * Callers of one process that wait for the same keys queue up. Only the head of the queue asks the
 * nodes, and the others share its refusals. A caller that gives up asks once more itself, unless such a
 * refusal has just arrived.
 *
 * @throws the signal's reason; nothing stays locked then.
 */
export const acquire = async (
  client: Client,
  namespace: Namespace,
  key: string | readonly string[],
  options: AcquireCallOptions,
): Promise<AcquireResult> => {
  const { clock, emit, queues, quorum, singleFlight } = client
  const { failOpen, signal, wait = Infinity } = options
  const keys = checkKeys(key, client.prefix)
  validateCall(client, options)

  const sinceCall = stopwatch(clock)
  const newLease = leaseFactory(client, namespace, keys, options)
  const chooseProbe = probeChooser(client)
  const schedule = retrySchedule(client, options, sinceCall)
  const { left } = schedule
  const waiter = wait > 0 && singleFlight ? joinQueue(queues, keys) : undefined
  let splitVotes = 0
  /** Ms after which the slowest answer has arrived that came too late for its round. */
  let slowest = 0
  const onSlow = (took: number): void => void (slowest = Math.max(slowest, took))
  /** Whether the refusal is hearsay that the nodes are asked to confirm. */
  let isConfirming = false
  let lastAttempt: Attempt | undefined
  let ownNews: News | undefined

  const isBehind = (): boolean => waiter !== undefined && !isHead(waiter)
  const progress = () => ({ keys, elapsed: sinceCall(), attempts: schedule.attempts })

  /** Asks the nodes; behind others in the queue, shares the last refusal that one of them received. */
  const tryOnce = async (
    lease: Lease,
    elapsed: () => number,
    last: Try | undefined,
  ): Promise<Try> => {
    const isNotified = waiter && takeNotice(waiter)
    if (isNotified) schedule.isLast = false
    const isLast = isConfirming || schedule.isLast
    const news = waiter && newsOf(waiter, sinceCall())
    const isShared = news !== undefined && news.by !== waiter
    if (isLast ? isShared && isFresh(news) : isBehind()) {
      return { result: news ? currentRefusal(news) : queued, isHearsay: !isFresh(news) }
    }
    // After an outage all nodes are asked, since this call may have left a lease on the first.
    const wasRefused = last && !last.result.ok && last.result.reason === 'locked'
    const isHeldFirst = wasRefused && lastAttempt?.answers[nodeToProbe(client)]?.status === 'locked'
    const mayProbe = !isNotified && (isShared || (isHeldFirst && !isLast))
    const probe = chooseProbe(mayProbe)
    const { isLook } = schedule
    // A frugal client may be rejected by its first probe. The refusal of a later one is to be confirmed.
    const isHearsay = lastAttempt && probe !== undefined && !isLook
    const before = lastAttempt
    const first = isLook ? lookProbe(lastAttempt!, quorum) : probe
    // In a split vote, a node that has answered too late may have the deciding vote.
    const minWait = schedule.isLastLook ? slowest : 0
    lastAttempt = await attempt(lease, elapsed, { probe: first, minWait, onSlow, left, signal })
    const { result, answers, holder, took, hasLed, isUndecided } = lastAttempt
    if (result.ok) return { result }
    if (isUndecided) {
      const learned = (waiter && newsOf(waiter, sinceCall())) ?? ownNews
      return { result: learned ? currentRefusal(learned) : result }
    }
    ownNews = shareNews(waiter, result, took, clock)
    const isHeld = holder !== undefined && !(isLook && isOwed(before!, holder, client))
    if (result.reason !== 'locked' || isHeld) return { result, isHearsay }
    emit?.({ type: 'split', ...progress(), ...result })
    splitVotes++
    const mustLook = splitVotes > 1 || looksAgain(answers)
    return { result, isHearsay, looksAgain: mustLook, hasLed }
  }

  let outcome: Try | undefined
  try {
    for (let elapsed = sinceCall; ; elapsed = stopwatch(clock)) {
      signal?.throwIfAborted()
      const lease = newLease()
      outcome = await tryOnce(lease, elapsed, outcome)
      const { result, isHearsay } = outcome
      if (result.ok) {
        emit?.({ type: 'acquired', ...progress() })
        return result
      }
      const soFar = progress()
      const delay = schedule.next({
        result,
        isAffordable: isAffordable(lease),
        isBehind: isBehind(),
        took: lastAttempt?.took ?? waiter?.queue.news?.took,
        looksAgain: outcome.looksAgain === true,
        hasLed: outcome.hasLed === true,
      })
      if (delay !== false) {
        const onStart = waiter && ((wake: () => void): void => void (waiter.wake = wake))
        if (!waiter?.isNotified) await sleep(clock, delay, signal, onStart)
      } else if (isHearsay && !isConfirming && isAffordable(lease) && left() > 0) {
        isConfirming = true
      } else {
        const refusal: Refusal = result === queued ? { ...queued, reason: 'unavailable' } : result
        const isLetPass = failOpen && refusal.reason === 'unavailable'
        emit?.({ type: isLetPass ? 'failed-open' : 'rejected', ...soFar, ...refusal })
        return refusal
      }
    }
  } finally {
    if (waiter) leaveQueue(queues, waiter)
  }
}
