import type { Client } from '../local/client.ts'
import { isHead, joinQueue, leaveQueue } from '../local/wait-queue.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import { checkKeys, type Namespace } from '../protocol/keys.ts'
import { isAffordable, leaseFactory, mayBecomeAffordable } from '../quorum/lease.ts'
import { warnOfOutage } from '../quorum/node-warnings.ts'
import type { Refusal } from '../reports/results.ts'
import { sleep, stopwatch } from '../util/clock.ts'
import { attempt as attemptLock, type AttemptFunction } from './attempt.ts'
import type { AcquireResult } from './results.ts'
import { retrySchedule } from './retry-schedule.ts'
import { makeTryOnce, queued } from './try-once.ts'
import { validateCall } from './validate-call.ts'

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
  attempt: AttemptFunction = attemptLock,
): Promise<AcquireResult> => {
  const { clock, emit, queues, singleFlight } = client
  const { failOpen, signal, wait = Infinity } = options
  const keys = checkKeys(key, client.prefix)
  validateCall(client, options)

  const sinceCall = stopwatch(clock)
  const newLease = leaseFactory(client, namespace, keys, options)
  const schedule = retrySchedule(client, options, sinceCall)
  const waiter = wait > 0 && singleFlight ? joinQueue(queues, keys) : undefined
  const tryOnce = makeTryOnce({ client, schedule, waiter, sinceCall, signal, attempt })
  const onSleep = waiter && ((wake: () => void): void => void (waiter.wake = wake))
  /** Whether the last try was refused as `locked`. */
  let wasLocked = false
  /** Whether the refusal is hearsay that the nodes are asked to confirm. */
  let isConfirming = false

  try {
    for (;;) {
      signal?.throwIfAborted()
      const lease = newLease()
      const outcome = await tryOnce(lease, stopwatch(clock), wasLocked, isConfirming)
      const { result } = outcome
      const { attempts } = schedule
      const soFar = { keys, elapsed: emit ? sinceCall() : 0, attempts }
      if (result.ok) {
        emit?.({ type: 'acquired', ...soFar })
        return result
      }
      wasLocked = result.reason === 'locked'
      if (outcome.isSplit) emit?.({ type: 'split', ...soFar, ...result })
      const delay = schedule.next({
        result,
        isAffordable: mayBecomeAffordable(lease),
        isBehind: waiter !== undefined && !isHead(waiter),
        isNext: outcome.isNext,
        took: outcome.took,
        looksAgain: outcome.looksAgain === true,
        hasLed: outcome.hasLed === true,
        hasNewRivals: outcome.hasNewRivals === true,
      })
      if (delay !== false) {
        // A second look is no waiting, and does not count as an attempt.
        const isFirst = attempts === 1 && schedule.attempts > 1
        if (isFirst) emit?.({ type: 'waiting', ...soFar, ...result })
        if (!waiter?.isNotified) await sleep(clock, delay, signal, onSleep)
        // Nodes that hung may have needed the requests that were kept for their release.
        if (isAffordable(lease)) continue
      } else if (outcome.isHearsay && !isConfirming && isAffordable(lease) && schedule.left() > 0) {
        isConfirming = true
        continue
      }
      const refusal: Refusal = result === queued ? { ...queued, reason: 'unavailable' } : result
      const isLetPass = failOpen && refusal.reason === 'unavailable'
      emit?.({ type: isLetPass ? 'failed-open' : 'rejected', ...soFar, ...refusal })
      if (refusal.reason === 'unavailable') warnOfOutage(client, refusal.nodes)
      return refusal
    }
  } finally {
    if (waiter) leaveQueue(queues, waiter)
  }
}
