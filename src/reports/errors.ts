import type { NodeReport } from './node-report.ts'

// The type guards check a boolean brand instead of the class: an error of another realm or of another
// copy of this package has another class. A structured clone of an error keeps no brand either.
export const branded = (error: unknown, brand: string): boolean =>
  typeof error === 'object' && error !== null && (error as Record<string, unknown>)[brand] === true

// Characters of the keys that a message shows; the property `keys` of the error has all of them.
const maxShown = 200

/** The keys of a lock, for a message. */
const show = (keys: readonly string[]): string => {
  const text = JSON.stringify(keys)
  return text.length > maxShown ? `${text.slice(0, maxShown)}... (${keys.length} in all)` : text
}

class RefusedError extends Error {
  declare readonly keys: readonly string[]
  declare readonly retryAfter: number
  declare readonly nodes: readonly NodeReport[]

  constructor(
    keys: readonly string[],
    { retryAfter, nodes }: { readonly retryAfter: number; readonly nodes: readonly NodeReport[] },
  ) {
    const answers = nodes.map(({ node, status, error }) => `; ${node} ${error?.message ?? status}`)
    super(`No lock on ${show(keys)}${answers.join('')}`)
    Object.assign(this, { keys, retryAfter, nodes })
  }
}

/**
 * Another owner holds the lock on `keys`. A quorum can be free after `retryAfter` ms at the latest.
 * `nodes` has the answer of each node to the last attempt, which may have asked the first node only.
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

/** True for a {@link LockedError}, also of another realm, or a copy of its properties. */
export const isLockedError = (error: unknown): error is LockedError =>
  branded(error, 'isLockedError')

/**
 * Too few nodes answered to decide whether the lock is free. `nodes` has the answer of each node;
 * another attempt makes sense after `retryAfter` ms.
 */
export class QuorumError extends RefusedError {
  override readonly name = 'QuorumError'
  readonly isQuorumError = true
}

/** True for a {@link QuorumError}, also of another realm, or a copy of its properties. */
export const isQuorumError = (error: unknown): error is QuorumError =>
  branded(error, 'isQuorumError')

/** The lock on `keys` is no longer held: it was released, has expired, or too many nodes lost it. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError'
  readonly isLockLostError = true
  readonly keys: readonly string[]

  constructor(keys: readonly string[]) {
    super(`Lost the lock on ${show(keys)}`)
    this.keys = keys
  }
}

/** True for a {@link LockLostError}, also of another realm, or a copy of its properties. */
export const isLockLostError = (error: unknown): error is LockLostError =>
  branded(error, 'isLockLostError')
