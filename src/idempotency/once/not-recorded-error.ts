import { branded, show } from '../../core/results/errors.ts'
import { StatusError } from '../../util/redlock-error.ts'

/**
 * Why a value is not there for other calls:
 *
 * - `unavailable`: too few nodes took it, so that a later call may run again;
 * - `lost`: the run has lost its key, or its value was given up: another call may have run meanwhile;
 * - `not-kept`: it is too large, its store failed, or the codec did. Later calls get this error, too;
 * - `unreadable`: its store does not have it now.
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
 * A run has ended, but its value is not there for other calls. The call that has run finds its own in
 * `value`, which is not part of the JSON of the error: it may be a secret. A redirect that was too large is in
 * `cause.cause`. Its `status` is 503 where a later call may
 * get a value, and 409 where none is kept.
 *
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
    super(`The run for ${show(key)} has ended, but ${why}`, { cause })
    this.keys = [key]
    this.reason = reason
    this.#own = own
    this.setStatus(reason === 'not-kept' ? 409 : 503)
  }

  /** Whether this call has run, so that `value` is what its run has returned. A copy of the error has neither. */
  get hasRun(): boolean {
    return this.#own !== undefined
  }

  /** What the run of this call has returned; undefined if another call has run. */
  get value(): unknown {
    return this.#own?.value
  }
}

/**
 * True for a {@link NotRecordedError}, also of another realm, or a copy of its properties.
 *
 * @example
 * ```ts
 * const error = await once(redlock, key, { keepFor: 60_000 }, send).catch((reason: unknown) => reason)
 * if (isNotRecordedError(error)) console.warn(error.reason, error.hasRun)
 * ```
 */
export const isNotRecordedError = (error: unknown): error is NotRecordedError =>
  branded(error, 'isNotRecordedError')
