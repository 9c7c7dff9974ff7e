import type { NodeReport } from './node-report.ts'

// Guards read a boolean brand instead of using instanceof: an abort reason that crosses a realm,
// or that workerd copies, keeps its own properties and loses its class.
export const branded = (error: unknown, brand: string): boolean =>
  typeof error === 'object' && error !== null && (error as Record<string, unknown>)[brand] === true

class RefusedError extends Error {
  declare readonly keys: readonly string[]
  declare readonly retryAfter: number
  declare readonly nodes: readonly NodeReport[]

  constructor(
    keys: readonly string[],
    { retryAfter, nodes }: { readonly retryAfter: number; readonly nodes: readonly NodeReport[] },
  ) {
    const answers = nodes.map(({ node, status, error }) => `; ${node} ${error?.message ?? status}`)
    super(`No lock on ${JSON.stringify(keys)}${answers.join('')}`)
    Object.assign(this, { keys, retryAfter, nodes })
  }
}

/**
 * Somebody else holds the lock on `keys`. `retryAfter` (ms) is when a quorum can come free at the
 * latest, `nodes` how each node answered: of the last try, which may have asked the first node only.
 *
 * @example
 * ```ts
 * try {
 *   await redlock.acquire('invoice:7')
 * } catch (error) {
 *   if (isLockedError(error)) return retryIn(error.retryAfter)
 *   throw error
 * }
 * ```
 */
export class LockedError extends RefusedError {
  override readonly name = 'LockedError'
  readonly isLockedError = true
}

/** True for a {@link LockedError}, also for one that was copied between realms. */
export const isLockedError = (error: unknown): error is LockedError =>
  branded(error, 'isLockedError')

/**
 * Too few nodes answered to know: neither held nor refused. `nodes` says what each one did, and
 * `retryAfter` (ms) when another try makes sense.
 */
export class QuorumError extends RefusedError {
  override readonly name = 'QuorumError'
  readonly isQuorumError = true
}

/** True for a {@link QuorumError}, also for one that was copied between realms. */
export const isQuorumError = (error: unknown): error is QuorumError =>
  branded(error, 'isQuorumError')

/** The lock on `keys` is no longer ours: released, expired, or gone from too many nodes. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError'
  readonly isLockLostError = true
  readonly keys: readonly string[]

  constructor(keys: readonly string[]) {
    super(`Lost the lock on ${JSON.stringify(keys)}`)
    this.keys = keys
  }
}

/** True for a {@link LockLostError}, also for one that was copied between realms. */
export const isLockLostError = (error: unknown): error is LockLostError =>
  branded(error, 'isLockLostError')
