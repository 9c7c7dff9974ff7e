import { type Client } from '../local/client.ts'
import { isHead, joinQueue, leaveQueue } from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys, type Namespace } from '../protocol/keys.ts'
import { isAffordable, type Lease, leaseFactory } from '../quorum/lease.ts'
import type { Refusal } from '../reports/results.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { type Attempt, attempt } from './attempt.ts'
import { probeChooser } from './probe.ts'
import type { AcquireResult } from './results.ts'
import { retrySchedule } from './retry-schedule.ts'
import { leaderOf, type SecondLook, secondLook } from './split-vote.ts'
import { validateCall } from './validate-call.ts'

/** The outcome of one try of the acquire loop. */
type Try = {
  readonly result: AcquireResult
  /** Whether the refusal comes from one node or another caller, so that all nodes should confirm it. */
  readonly isHearsay?: boolean | undefined
  readonly secondLook?: SecondLook | undefined
}

// Split votes in a row with the same leader, after which a call doubts that the leader can win.
const maxVotes = 2

// The refusal of waiters until the head of their queue has been refused.
const queued: Refusal = { ok: false, reason: 'locked', retryAfter: 1000, nodes: [] }

/**
 * Tries until the lock is acquired, or `retry` or `wait` say that it is enough.
 *
 * Callers of one process that wait for the same keys queue up. Only the head of the queue asks the
 * nodes, and the others share its refusals.
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
  const waiter = wait > 0 && singleFlight ? joinQueue(queues, keys) : undefined
  /** The leader of the last split vote, undefined where that is this call; and how often in a row. */
  let lastLeader: string | undefined
  let votes = 0
  /** Whether the refusal is hearsay that all nodes are asked to confirm. */
  let isConfirming = false
  let lastAttempt: Attempt | undefined

  const progress = () => ({ keys, elapsed: sinceCall(), attempts: schedule.attempts })

  /** Asks the nodes; behind others in the queue, shares the last refusal of its head. */
  const tryOnce = async (
    lease: Lease,
    elapsed: () => number,
    last: Try | undefined,
  ): Promise<Try> => {
    const isNotified = waiter?.isNotified
    if (waiter) waiter.isNotified = false
    if (waiter && !isHead(waiter) && !isConfirming) {
      const result = waiter.queue.refusal ?? queued
      // An outage that another call has met may be over.
      return { result, isHearsay: result.reason === 'unavailable' }
    }
    // After an outage all nodes are asked, since this call may have left a lease on the first.
    const wasRefused = last && !last.result.ok && last.result.reason === 'locked'
    const isHeldFirst = wasRefused && lastAttempt?.answers[0]?.status === 'locked'
    const mayProbe = isHeldFirst && !isNotified && !isConfirming && sinceCall() < wait
    // A node that is slow may have the deciding vote. Asked before the others, it has the time to answer
    // while this call holds nothing that a living leader needs.
    const isStuck = votes >= maxVotes && !isConfirming
    const slow = isStuck ? lastAttempt!.answers.indexOf(undefined) : -1
    // Once only: every fourth try of a call that waits is to ask all nodes again.
    if (isStuck) votes = 0
    const probe = slow < 0 ? chooseProbe(mayProbe) : { index: slow }
    // A frugal client may be rejected by its first probe. The refusal of a later one is to be confirmed.
    const isHearsay = lastAttempt && probe !== undefined
    // A second look of a call that waits asks all nodes.
    const first = (wait > 0 ? undefined : last?.secondLook?.probe) ?? probe
    lastAttempt = await attempt(lease, elapsed, first, signal)
    const { result, answers, holder } = lastAttempt
    if (result.ok) return { result }
    if (waiter) waiter.queue.refusal = result
    if (result.reason !== 'locked' || holder) return { result, isHearsay }
    emit?.({ type: 'split', ...progress(), ...result })
    const leader = leaderOf(answers)
    votes = leader === lastLeader ? votes + 1 : 1
    lastLeader = leader
    return { result, isHearsay, secondLook: secondLook(answers, quorum) }
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
      const delay = schedule.next(result, isAffordable(lease), outcome.secondLook && elapsed())
      if (delay !== false) {
        const onStart = waiter && ((wake: () => void): void => void (waiter.wake = wake))
        if (!waiter?.isNotified) await sleep(clock, delay, signal, onStart)
      } else if (isHearsay && !isConfirming && isAffordable(lease)) {
        isConfirming = true
      } else {
        const isLetPass = failOpen && result.reason === 'unavailable'
        emit?.({ type: isLetPass ? 'failed-open' : 'rejected', ...refused })
        return result
      }
    }
  } finally {
    if (waiter) leaveQueue(queues, waiter, outcome?.result.ok ?? false)
  }
}
