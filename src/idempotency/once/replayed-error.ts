import { branded, show } from '../../core/results/errors.ts'
import { coded } from '../../util/codes.ts'
import { StatusError } from '../../util/redlock-error.ts'

/** The parts of an error that are recorded. Strings are cut after 1,000 characters. */
export type ReplayedFailure = {
  readonly name: string
  readonly message: string
  readonly code?: string | number | undefined
  readonly status?: number | undefined
}

const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599

// The maximum length of a name, a message or a code, in characters. Replies of a node are limited to 64 KiB.
const maxText = 1000

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given.slice(0, maxText) : undefined

/** Extracts the parts of an error that are recorded. */
export const failureOf = (thrown: unknown): ReplayedFailure => {
  try {
    const error = Object(thrown) as Readonly<Record<string, unknown>>
    const { name, message, code, statusCode, status = statusCode } = error
    return {
      name: textOf(name) ?? 'Error',
      message: textOf(message) ?? '',
      code: typeof code === 'number' ? code : textOf(code),
      status: isStatus(status) ? status : undefined,
    }
  } catch {
    // A getter threw.
    return { name: 'Error', message: '' }
  }
}

/**
 * An earlier run of `once` threw an error, which was recorded because of `failures: 'replay'`. This call did not run.
 * `failure` contains the name and message of that error, and its `code` and `status` if present. The `status` of this
 * error is the same, or 500.
 *
 * @group Errors
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
    const { name, message } = failure
    super(coded('ERL06', `An earlier run for ${show(key)} has failed: ${name}: ${message}`))
    this.keys = [key]
    this.failure = failure
    this.setStatus(failure.status ?? 500)
  }
}

/**
 * Whether an error is a {@link ReplayedError}, even from another realm, or a copy of its properties.
 *
 * @group Errors
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
