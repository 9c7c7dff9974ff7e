import { checkText } from '../protocol/keys.ts'
import { branded } from '../reports/errors.ts'
import { checkInteger, expect } from '../util/validate.ts'

/**
 * A later holder of the lock has been here: this one's token is lower than the highest that was
 * seen for the `resource`, and what it wanted was not done.
 */
export class StaleTokenError extends Error {
  override readonly name = 'StaleTokenError'
  readonly isStaleTokenError = true
  readonly resource: string
  readonly token: number
  /** The highest that was seen, where the store tells. */
  readonly highest: number | undefined

  constructor(resource: string, token: number, highest?: number) {
    const than = highest === undefined ? 'one that was seen' : highest
    super(`The fencing token ${token} for ${JSON.stringify(resource)} is lower than ${than}`)
    this.resource = resource
    this.token = token
    this.highest = highest
  }
}

/** True for a {@link StaleTokenError}, also for one that was copied between realms. */
export const isStaleTokenError = (error: unknown): error is StaleTokenError =>
  branded(error, 'isStaleTokenError')

/** What a store does with tokens: `fenced` wants one, to ask before each request. */
export type Guard = {
  /**
   * Takes note of the token, unless a higher one was seen for this resource.
   *
   * @throws {StaleTokenError} when one was.
   */
  readonly advance: (resource: string, token: number) => Promise<void>
}

// PostgreSQL takes no longer keys in an index, and no zero byte in a text.
const longest = 512

/** Checks what every guard is given, before it asks its store. */
export const checkFence = (resource: string, token: number): void => {
  checkText('resource', resource, 1)
  const fits = resource.length <= longest && !resource.includes('\0')
  expect(fits, 'resource', `at most ${longest} characters, none of them a zero byte`, resource)
  checkInteger('token', token, 0, Number.MAX_SAFE_INTEGER)
}
