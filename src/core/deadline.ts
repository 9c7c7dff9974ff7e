import { currently, type Knowledge } from './process/wait-queue.ts'
import { errorOf } from './results/errors.ts'

/**
 * The error of a call for a lock that its signal may have ended. The error of a deadline, such as that of
 * `AbortSignal.timeout()`, has no details about the lock. So it gets the last rejection as its `cause`, with the holder
 * of the lock or the nodes that failed.
 *
 * @param known - The last rejection, if there is one.
 * @returns a copy if the error is a deadline, since the same signal may also end calls for other locks.
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
