import { branded, show } from '../../core/results/errors.ts'
import { coded } from '../../util/codes.ts'
import { StatusError } from '../../util/redlock-error.ts'

/** The parts of an error that are kept. Each text has up to 1,000 characters. */
export type ReplayedFailure = {
  readonly name: string
  readonly message: string
  readonly code?: string | number | undefined
  readonly status?: number | undefined
}

const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599

// Characters of a name, a message or a code. A node reads replies of up to 64 KiB.
const maxText = 1000

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? given.slice(0, maxText) : undefined

/** Reads the parts of an error that are kept. */
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
    // A getter has thrown.
    return { name: 'Error', message: '' }
  }
}

/**
 * An earlier run of `once` has thrown an error, which `failures: 'replay'` recorded. This call did not run. `failure`
 * has the name and the message of that error, and its `code` and `status` if it had any. The `status` of this error is
 * the same, or 500.
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
 * True for a {@link ReplayedError}, even from another realm, and for a copy of its properties.
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
