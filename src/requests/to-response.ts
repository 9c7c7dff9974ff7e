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
  detail: 'The request has been processed. Its result was not kept.',
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

/** The problem that a client sees for an error of a lock or of `once`. It omits the message of the error. */
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
      detail: 'The request has failed before.',
      reason: 'replayed',
    }
  }
  if (isNotRecordedError !== true) return undefined
  return reason === 'not-kept' ? notKept : notRecorded
}

/**
 * The response for an error of `acquire`, `using` or `once`: `application/problem+json` with its `status`. It has
 * `Retry-After` if another try makes sense, and shows neither keys nor metadata.
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
