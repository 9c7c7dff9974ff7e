import { type Client } from '../local/client.ts'
import {
  currentRefusal,
  isFresh,
  isHead,
  joinQueue,
  leaveQueue,
  shareNews,
} from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys, type Namespace } from '../protocol/keys.ts'
import { holderOf } from '../protocol/reply.ts'
import { isAffordable, type Lease, leaseFactory } from '../quorum/lease.ts'
import type { Refusal } from '../reports/results.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { type Attempt, attempt } from './attempt.ts'
import { type Probe, probeChooser } from './probe.ts'
import type { AcquireResult } from './results.ts'
import { retrySchedule } from './retry-schedule.ts'
import { looksAgain, secondLookProbe } from './split-vote.ts'
import { validateCall } from './validate-call.ts'

/** The outcome of one try of the acquire loop. */
type Try = {
  readonly result: AcquireResult
  /** Whether the refusal comes from one node or another caller, so that all nodes should confirm it. */
  readonly isHearsay?: boolean | undefined
  /** Whether a split vote asks for a second look. */
  readonly looksAgain?: boolean
}

// Every so many split votes of a call, a node that did not answer is asked before the others.
const askSilentEvery = 3

// The result of a call that has learned nothing.
const unknown: Refusal = { ok: false, reason: 'unavailable', retryAfter: 1000, nodes: [] }

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
  const keys = checkKeys(key)
  validateCall(client, options)

  const sinceCall = stopwatch(clock)
  const newLease = leaseFactory(client, namespace, keys, options)
  const chooseProbe = probeChooser(client)
  const schedule = retrySchedule(client, options, sinceCall)
  const { left } = schedule
  const waiter = wait > 0 && singleFlight ? joinQueue(queues, keys) : undefined
  const queue = waiter?.queue
  let splitVotes = 0
  /** Whether the refusal is hearsay that the nodes are asked to confirm. */
  let isConfirming = false
  let lastAttempt: Attempt | undefined

  const progress = () => ({ keys, elapsed: sinceCall(), attempts: schedule.attempts })

  /** The node that a second look asks first; undefined for all. */
  const lookProbe = (after: Attempt): Probe | undefined => {
    // A slow node may have the deciding vote. Asked before the others, it has the time to answer while
    // this call holds nothing that a leader needs.
    const silent = splitVotes % askSilentEvery === 0 ? after.answers.indexOf(undefined) : -1
    return silent < 0
      ? secondLookProbe(after, quorum)
      : { index: silent, except: holderOf(after.value) }
  }

  /** Asks the nodes; behind others in the queue, shares the last refusal that one of them received. */
  const tryOnce = async (
    lease: Lease,
    elapsed: () => number,
    last: Try | undefined,
  ): Promise<Try> => {
    const isNotified = waiter?.isNotified
    if (waiter) waiter.isNotified = false
    if (isNotified) schedule.isLast = false
    const isLast = isConfirming || schedule.isLast
    const isBehind = waiter && !isHead(waiter)
    const news = queue?.news
    if (isBehind && (!isLast || isFresh(news))) {
      return { result: news ? currentRefusal(news) : unknown, isHearsay: !isFresh(news) }
    }
    // After an outage all nodes are asked, since this call may have left a lease on the first.
    const wasRefused = last && !last.result.ok && last.result.reason === 'locked'
    const isHeldFirst = wasRefused && lastAttempt?.answers[0]?.status === 'locked'
    const mayProbe = isBehind ? news !== undefined : isHeldFirst && !isNotified && !isLast
    const usual = chooseProbe(mayProbe)
    const probe = last?.looksAgain ? lookProbe(lastAttempt!) : usual
    // A frugal client may be rejected by its first probe. The refusal of a later one is to be confirmed.
    const isHearsay = lastAttempt && usual !== undefined && !last?.looksAgain
    const ownHolder = lastAttempt && holderOf(lastAttempt.value)
    // Others may have yielded to this call because of a node that answered it late.
    const minWait = last?.looksAgain && !probe ? lastAttempt!.slowest!() : 0
    lastAttempt = await attempt(lease, elapsed, { probe, minWait, left, signal })
    const { result, answers, holder, took, isCut } = lastAttempt
    if (result.ok) return { result }
    if (isCut && last) return last
    if (queue) shareNews(queue, result, took, clock)
    // Where this call seems to hold the lock, the release of its last attempt has not arrived everywhere.
    const isHeld = holder !== undefined && holder !== ownHolder
    if (result.reason !== 'locked' || isHeld) return { result, isHearsay }
    emit?.({ type: 'split', ...progress(), ...result })
    splitVotes++
    return { result, isHearsay, looksAgain: splitVotes > 1 || looksAgain(answers) }
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
      const refused = { ...progress(), ...result }
      const delay = schedule.next({
        result,
        isAffordable: isAffordable(lease),
        isBehind: waiter !== undefined && !isHead(waiter),
        took: lastAttempt?.took ?? queue?.news?.took ?? 0,
        looksAgain: outcome.looksAgain === true,
      })
      if (delay !== false) {
        const onStart = waiter && ((wake: () => void): void => void (waiter.wake = wake))
        if (!waiter?.isNotified) await sleep(clock, delay, signal, onStart)
      } else if (isHearsay && !isConfirming && isAffordable(lease) && left() > 0) {
        isConfirming = true
      } else {
        const isLetPass = failOpen && result.reason === 'unavailable'
        emit?.({ type: isLetPass ? 'failed-open' : 'rejected', ...refused })
        return result
      }
    }
  } finally {
    if (waiter) leaveQueue(queues, waiter)
  }
}
