import { branded, show } from '../../core/results/errors.ts'
import { coded } from '../../util/codes.ts'
import { StatusError } from '../../util/redlock-error.ts'

/**
 * Why a value is not available to other calls:
 *
 * - `unavailable`: too few nodes accepted the value, so a later call may run again;
 * - `lost`: the run lost its key, or `forget` deleted the value, so another call may have run meanwhile;
 * - `not-kept`: the value is too large, or its store or codec failed. Later calls throw this error, too;
 * - `unreadable`: the store does not return the value now.
 */
export type NotRecordedReason = 'unavailable' | 'lost' | 'not-kept' | 'unreadable'

const sentences: Readonly<Record<NotRecordedReason, string>> = {
  unavailable: 'too few nodes took its value, so a later call may run again',
  lost: 'its key was lost or given up meanwhile',
  'not-kept':
    'its value was not kept: it is too large, JSON does not keep it, or its store or codec failed. After a fix, `forget` lets the key run again',
  unreadable: 'the store does not return its value now',
}

/**
 * A run has ended, but its value is not available to other calls. In the call that ran, `value` contains the value. The
 * error's JSON omits it, because it may be a secret. If the run threw a redirect that was too large, it is in
 * `cause.cause`. The `status` is 503 if a later call can return a value, and 409 if no value was kept.
 *
 * @group Errors
 * @example
 * ```ts
 * const token = await once(redlock, key, { keepFor: 60_000 }, refresh).catch((error: unknown) => {
 *   if (isNotRecordedError(error) && error.hasRun) return error.value as Token
 *   throw error
 * })
 * ```
 */
export class NotRecordedError extends StatusError {
  override readonly name = 'NotRecordedError'
  readonly isNotRecordedError = true
  readonly keys: readonly string[]
  readonly reason: NotRecordedReason
  readonly #own: { readonly value: unknown } | undefined

  constructor(
    key: string,
    reason: NotRecordedReason,
    own?: { readonly value: unknown },
    cause?: unknown,
  ) {
    const isCodec = reason === 'not-kept' && cause instanceof Error
    const why = isCodec ? `its value was not kept: ${cause.message}` : sentences[reason]
    super(coded('ERL05', `The run for ${show(key)} has ended, but ${why}`), { cause })
    this.keys = [key]
    this.reason = reason
    this.#own = own
    this.setStatus(reason === 'not-kept' ? 409 : 503)
  }

  /** Whether this call ran, so that `value` is its result. Copies of the error have neither property. */
  get hasRun(): boolean {
    return this.#own !== undefined
  }

  /** The result of this call's run; undefined if another call ran. */
  get value(): unknown {
    return this.#own?.value
  }
}

/**
 * Whether an error is a {@link NotRecordedError}, even from another realm, or a copy of its properties.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await once(redlock, key, { keepFor: 60_000 }, send).catch((reason: unknown) => reason)
 * if (isNotRecordedError(error)) console.warn(error.reason, error.hasRun)
 * ```
 */
export const isNotRecordedError = (error: unknown): error is NotRecordedError =>
  branded(error, 'isNotRecordedError')
