import { isLockedError, isLockLostError, isQuorumError } from '../core/results/errors.ts'
import { unknownRetryAfter, worthRetryAfter } from '../core/results/results.ts'
import { type Problem, problem } from './problem-details.ts'
import { lockRejections, type LockReason } from './rejections.ts'
import { problemType } from '../util/codes.ts'

const rejected = (reason: LockReason, retryAfter: number): Problem => {
  const [status, title, detail, code] = lockRejections[reason]
  return { type: problemType(code), status, title, detail, reason, retryAfter }
}

const lost: Problem = {
  type: problemType('ERL04'),
  status: 500,
  title: 'Internal Server Error',
  detail: 'The request may have been processed in part.',
  reason: 'lost',
}

const notKept: Problem = {
  type: problemType('ERL05'),
  status: 409,
  title: 'Conflict',
  detail: 'The request has already been processed, but its result was not stored.',
  reason: 'not-recorded',
}

const notRecorded: Problem = {
  type: problemType('ERL05'),
  status: 503,
  title: 'Service Unavailable',
  detail: 'The request may have been processed. Please try again in a moment.',
  reason: 'not-recorded',
  retryAfter: unknownRetryAfter,
}

/** The problem that a client receives for an error from a lock or from `once`. It omits the error message. */
const problemOf = (error: unknown): Problem | undefined => {
  if (isLockedError(error)) return rejected('locked', worthRetryAfter(error))
  if (isQuorumError(error)) return rejected('unavailable', error.retryAfter)
  if (isLockLostError(error)) return lost
  const { isNotRecordedError, isReplayedError, reason, failure } = Object(error) as Record<
    string,
    unknown
  >
  if (isReplayedError === true) {
    const { status } = Object(failure) as { readonly status?: number }
    const isError = Number.isInteger(status) && status! >= 400 && status! < 600
    return {
      type: problemType('ERL06'),
      status: isError ? status! : 500,
      detail: 'An earlier attempt at this request failed.',
      reason: 'replayed',
    }
  }
  if (isNotRecordedError !== true) return undefined
  return reason === 'not-kept' ? notKept : notRecorded
}

/**
 * Creates the response for an error from `acquire`, `using` or `once`: `application/problem+json` with the error's
 * `status`. The response includes `Retry-After` if a retry makes sense, and never contains keys or metadata.
 *
 * @returns undefined for any other error.
 * @example
 * ```ts
 * app.onError((error, c) => toResponse(error) ?? c.text('Internal Server Error', 500))
 * ```
 */
export const toResponse = (error: unknown): Response | undefined => {
  const found = problemOf(error)
  return found && problem(found)
}
