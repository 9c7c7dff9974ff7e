import { checkText } from '../protocol/keys.ts'
import { branded } from '../core/results/errors.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { checkInteger, assertOption } from '../util/validate.ts'
import { coded } from '../util/codes.ts'

/**
 * The write was rejected because its fencing token is lower than the highest token used for the resource. A later
 * holder of the lock has already used the resource.
 *
 * @group Errors
 * @example
 * ```ts
 * const guard = memoryGuard()
 * await guard.advance('report:7', 2)
 * await guard.advance('report:7', 1) // throws a StaleTokenError
 * ```
 */
export class StaleTokenError extends RedlockError {
  override readonly name = 'StaleTokenError'
  readonly isStaleTokenError = true
  readonly resource: string
  readonly token: number
  /** The highest token used for the resource; undefined if the store does not report it. */
  readonly highest: number | undefined

  constructor(resource: string, token: number, highest?: number) {
    const than = highest === undefined ? 'a token that was already used' : highest
    const of = `The fencing token ${token} for ${JSON.stringify(resource)}`
    super(coded('ERL07', `${of} is lower than ${than}`))
    this.resource = resource
    this.token = token
    this.highest = highest
  }
}

/**
 * Whether an error is a {@link StaleTokenError}, even from another realm, or a copy of its properties.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await guard.advance('report:7', token).catch((reason: unknown) => reason)
 * if (isStaleTokenError(error)) return // a later holder has written already
 * ```
 */
export const isStaleTokenError = (error: unknown): error is StaleTokenError =>
  branded(error, 'isStaleTokenError')

/** Checks fencing tokens against a store. `fenced()` calls its guard before each request. */
export type Guard = {
  /**
   * Stores the highest token of the resource, unless a higher one is already stored.
   *
   * @param resource - The name of the protected data: 1 to 512 characters, no zero byte.
   * @param token - The fencing token: an integer of at least 0.
   * @throws `StaleTokenError` if a higher token is already stored.
   */
  readonly advance: (resource: string, token: number) => Promise<void>
}

// PostgreSQL limits the size of index keys, and rejects zero bytes in text.
const maxResourceLength = 512

/**
 * Checks the arguments that all guards share. Guards call this before they use their store.
 *
 * @throws `RangeError` or `TypeError` if an argument is invalid; the message names the argument.
 */
export const checkFence = (resource: string, token: number): void => {
  checkText('resource', resource, 1)
  const fits = resource.length <= maxResourceLength && !resource.includes('\0')
  assertOption(
    fits,
    'resource',
    `at most ${maxResourceLength} characters, none of them a zero byte`,
    resource,
  )
  checkInteger('token', token, 0, Number.MAX_SAFE_INTEGER)
}
