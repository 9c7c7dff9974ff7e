import { LockedError, QuorumError } from '../reports/errors.ts'
import type { Refusal } from '../reports/results.ts'

/**
 * The reason of a call that its signal has ended. A deadline, as `AbortSignal.timeout()` sets it, says nothing of the
 * lock, so its error gets the last refusal as its `cause`: who holds the lock, or which nodes fail.
 *
 * @returns a copy, since other calls may end by the same signal, for locks of others.
 */
export const deadlineError = (
  reason: unknown,
  keys: readonly string[],
  refusal: Refusal,
): unknown => {
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason
  const Failure = refusal.reason === 'locked' ? LockedError : QuorumError
  const cause = new Failure(keys, refusal)
  return Object.assign(new DOMException(reason.message, reason.name), { cause })
}
