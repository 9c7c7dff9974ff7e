import type { InterceptedClient, ThrottleResult } from '../../core/lock/acquire.ts'
import { Budget } from '../../core/process/budget.ts'
import type { LockEvent } from '../../core/results/events.ts'
import type { Rejection } from '../../core/results/results.ts'
import { outagePause, windowSpread } from '../../core/retry/times.ts'
import { waitingFor } from '../../core/retry/waiting.ts'

type Rejected = LockEvent & { readonly type: 'rejected' }

/**
 * The pause before the next try, in ms. The end of an outage is unknown, so the pause is at most half the remaining
 * time.
 */
const passesIn = ({ reason, retryAfter }: Rejection, left: number): number =>
  reason === 'locked' ? retryAfter : Math.max(outagePause, Math.min(retryAfter, left / 2))

/**
 * Tries until the call passes. After a rejection, the next try comes at the earliest time when the call can pass. If
 * `wait` ends before that time, or the `budget` does not allow another try, the rejection is returned immediately. All
 * tries are reported as one call and share its budget.
 *
 * @param wait - The maximum wait in ms.
 * @param pass - Makes one try, with a client that reports its events to this function.
 * @throws the signal's reason.
 */
export const passWithin = async <Result extends ThrottleResult>(
  client: InterceptedClient,
  wait: number,
  signal: AbortSignal | undefined,
  pass: (client: InterceptedClient) => Promise<Result>,
): Promise<Result> => {
  const { clock, random, emit } = client
  const waiting = waitingFor(clock, wait, signal)
  const budget = client.requests ?? new Budget(client.budget)
  const { length } = client.nodes
  let attempts = 0
  let rejected: Rejected | undefined
  const report = (event: LockEvent): void => {
    if (!('attempts' in event)) return emit?.(event)
    const soFar = { attempts: attempts + event.attempts, elapsed: waiting.elapsed() }
    // Only the last rejection is reported, as the result of the call.
    if (event.type !== 'rejected') return emit?.({ ...event, ...soFar })
    attempts = soFar.attempts
    rejected = { ...event, ...soFar, type: 'rejected' }
  }
  const tries = { ...client, requests: budget, emit: emit && report }
  for (let isFirst = true; ; isFirst = false) {
    const result = await pass(tries)
    if (result.ok) return result
    const left = waiting.left()
    const pause = passesIn(result, left)
    const isOver = !budget.mayAffordRetry(length) || pause > left
    if (rejected && (isOver || isFirst))
      emit?.(isOver ? rejected : { ...rejected, type: 'waiting' })
    if (isOver) return result
    await waiting.pause(pause + random() * windowSpread)
    if (!budget.affordsRetry(length)) {
      if (rejected) emit?.(rejected)
      return result
    }
  }
}
