import { branded, show } from '../reports/errors.ts'
import { StatusError } from '../util/redlock-error.ts'

/** What is kept of an error that a run has thrown. */
export type ReplayedFailure = {
  readonly name: string
  readonly message: string
  readonly code?: string | number | undefined
  readonly status?: number | undefined
}

const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599

/** What is kept of an error. */
export const failureOf = (thrown: unknown): ReplayedFailure => {
  const {
    name,
    message,
    code,
    statusCode,
    status = statusCode,
  } = Object(thrown) as Readonly<Record<string, unknown>>
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    status: isStatus(status) ? status : undefined,
  }
}

/**
 * An earlier run of `once` has thrown, and `failures: 'replay'` has recorded that: nothing has run now. `failure` has
 * the name and the message of its error, and its `code` and `status` if it had any. The `status` of this error is the same, or 500.
 *
 * @example
 * ```ts
 * const error = await once(redlock, key, { keepFor: 60_000, failures: 'replay' }, charge).catch(
 *   (reason: unknown) => reason,
 * )
 * if (isReplayedError(error)) console.warn('was tried before:', error.failure.message)
 * ```
 */
export class ReplayedError extends StatusError {
  override readonly name = 'ReplayedError'
  readonly isReplayedError = true
  readonly keys: readonly string[]
  readonly failure: ReplayedFailure

  constructor(key: string, failure: ReplayedFailure) {
    super(`An earlier run for ${show(key)} has failed: ${failure.name}: ${failure.message}`)
    this.keys = [key]
    this.failure = failure
    this.setStatus(failure.status ?? 500)
  }
}

/**
 * True for a {@link ReplayedError}, even of another realm, or a copy of its properties.
 *
 * @example
 * ```ts
 * const error = await once(redlock, key, { keepFor: 60_000, failures: 'replay' }, charge).catch(
 *   (reason: unknown) => reason,
 * )
 * if (isReplayedError(error)) console.warn(error.keys)
 * ```
 */
export const isReplayedError = (error: unknown): error is ReplayedError =>
  branded(error, 'isReplayedError')
