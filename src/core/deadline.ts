import { currently, type Knowledge } from './process/wait-queue.ts'
import { errorOf } from './results/errors.ts'

/**
 * The error that a call for a lock throws. A deadline error, such as the one from `AbortSignal.timeout()`, contains no
 * details about the lock. So this function sets its `cause` to the last rejection, which names the holder or the nodes
 * that failed.
 *
 * @param known - The last rejection, if there is one.
 * @returns a copy of a deadline error, because the same signal can also end calls for other locks.
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
