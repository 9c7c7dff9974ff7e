import { currently, type Knowledge } from './process/wait-queue.ts'
import { errorOf } from './results/errors.ts'

/**
 * The error of a call for a lock that its signal may have ended. A deadline, as `AbortSignal.timeout()` sets it, says
 * nothing about the lock, so its error gets the last rejection as its `cause`: who holds the lock, or which nodes fail.
 *
 * @param known - The last rejection, if there is one.
 * @returns a copy of a deadline, since other calls may end by the same signal, for locks of others.
 */
export const errorOfCall = (
  error: unknown,
  keys: readonly string[],
  signal: AbortSignal | undefined,
  known: Knowledge | undefined,
): unknown => {
  const isDeadline = error instanceof DOMException && error.name === 'TimeoutError'
  if (!known || !isDeadline || signal?.reason !== error) return error
  const cause = errorOf(keys, currently(known))
  return Object.assign(new DOMException(error.message, error.name), { cause })
}
