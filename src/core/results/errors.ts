import { type Rejection, unknownRetryAfter, worthRetryAfter } from './results.ts'
import { type Code, coded } from '../../util/codes.ts'
import { StatusError } from '../../util/redlock-error.ts'
import { type NodeReport, quorumHolder } from './node-report.ts'

// The type guards check a boolean brand, because errors from other realms and other copies of this package have
// different classes. (A structured clone of an error loses even the brand.)
export const branded = (error: unknown, brand: string): boolean =>
  typeof error === 'object' && error !== null && (error as Record<string, unknown>)[brand] === true

// The maximum length of keys or metadata in a message, in characters. The properties of the error contain the full
// text.
const maxShown = 200

/** The keys or the metadata of a lock, as text for a message. */
export const show = (shown: readonly string[] | string): string => {
  const text = JSON.stringify(shown)
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}...`
}

/** The answer of each node, as text for a message. */
export const showNodes = (nodes: readonly NodeReport[]): string =>
  nodes.map(({ node, status, error }) => `; ${node} ${error?.message ?? status}`).join('') ||
  '; no answer in time'

type RejectionFacts = { readonly retryAfter: number; readonly nodes: readonly NodeReport[] }

class RejectedError extends StatusError {
  declare readonly keys: readonly string[]
  declare readonly retryAfter: number
  declare readonly nodes: readonly NodeReport[]

  constructor(
    code: Code,
    message: string,
    status: number,
    keys: readonly string[],
    { retryAfter, nodes }: RejectionFacts,
    later: number = retryAfter,
  ) {
    super(coded(code, message))
    Object.assign(this, { keys, retryAfter, nodes })
    this.setStatus(status, { 'retry-after': `${Math.max(1, Math.ceil(later / 1000))}` })
  }
}

/**
 * Another client holds the lock on `keys`. The `status` of the error is 409. `holder` identifies that client, and
 * `metadata` is its description of itself. Both are undefined if several clients competed for the lock and none won, or
 * if the key holds foreign data. The lock is free after at most `retryAfter` ms, unless the holder extends it. Most
 * holders finish long before that, so the HTTP header `Retry-After` is at most a second. `nodes` contains each node's
 * answer to the last attempt, which may have asked only the first node.
 *
 * @group Errors
 * @example
 * ```ts
 * try {
 *   await redlock.acquire('report:7')
 * } catch (error) {
 *   if (isLockedError(error)) return retryIn(error.retryAfter)
 *   throw error
 * }
 * ```
 */
export class LockedError extends RejectedError {
  override readonly name = 'LockedError'
  readonly isLockedError = true
  declare readonly holder: string | undefined
  declare readonly metadata: string | undefined

  constructor(keys: readonly string[], rejected: RejectionFacts) {
    const alien = rejected.nodes.filter(({ status }) => status === 'foreign')
    const others = rejected.nodes.filter((report) => !alien.includes(report))
    const { holder, metadata } = quorumHolder(others, (others.length >> 1) + 1) ?? {}
    const who = metadata === undefined ? holder : `${show(metadata)} (${holder})`
    const isAlien = 2 * alien.length > rejected.nodes.length
    const known = isAlien ? 'another program' : who
    const by = known ? `is held by ${known}` : 'was requested by several clients simultaneously'
    const endless = alien.find(({ ttl }) => ttl === undefined)
    const place = endless && !isAlien ? ` on ${endless.node}` : ''
    const next = endless
      ? `the key never expires${place}: delete it, or use another prefix`
      : `it can be free after ${Math.ceil(rejected.retryAfter)} ms`
    const retryAfter = worthRetryAfter(rejected)
    super('ERL02', `The lock on ${show(keys)} ${by}; ${next}`, 409, keys, rejected, retryAfter)
    Object.assign(this, isAlien ? {} : { holder, metadata })
  }
}

/**
 * True for a {@link LockedError}, even from another realm, and for a copy of its properties.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await redlock.acquire('report:7').catch((reason: unknown) => reason)
 * if (isLockedError(error)) console.log(error.holder, error.retryAfter)
 * ```
 */
export const isLockedError = (error: unknown): error is LockedError =>
  branded(error, 'isLockedError')

/**
 * Too few nodes answered to decide whether the lock is free. `nodes` contains each node's answer. It makes sense to try
 * again after `retryAfter` ms. The `status` of the error is 503.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await redlock.acquire('report:7').catch((reason: unknown) => reason)
 * if (isQuorumError(error)) console.log(error.nodes.map(({ node, status }) => [node, status]))
 * ```
 */
export class QuorumError extends RejectedError {
  override readonly name = 'QuorumError'
  readonly isQuorumError = true

  constructor(keys: readonly string[], rejected: RejectionFacts) {
    super(
      'ERL03',
      `Too few nodes answered for the lock on ${show(keys)}${showNodes(rejected.nodes)}`,
      503,
      keys,
      rejected,
    )
  }
}

/**
 * True for a {@link QuorumError}, even from another realm, and for a copy of its properties.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await redlock.acquire('report:7').catch((reason: unknown) => reason)
 * if (isQuorumError(error)) return new Response(null, { status: 503 })
 * ```
 */
export const isQuorumError = (error: unknown): error is QuorumError =>
  branded(error, 'isQuorumError')

/** The error for a rejected call. */
export const errorOf = (
  keys: readonly string[],
  rejected: RejectionFacts & Pick<Rejection, 'reason'>,
): LockedError | QuorumError =>
  new (rejected.reason === 'locked' ? LockedError : QuorumError)(keys, rejected)

/** The error for a round with too few answers. */
export const outageOf = (keys: readonly string[], nodes: readonly NodeReport[]): QuorumError =>
  new QuorumError(keys, { retryAfter: unknownRetryAfter, nodes })

/**
 * The lock `id` on `keys` is no longer held: it was released, has expired, or too many nodes lost it. `extend` and
 * `using` throw this error, and `lock.signal` aborts with it. Its `status` is 500, because the work may be half done:
 * neither "try again" nor "nothing happened" would be true.
 *
 * @group Errors
 * @example
 * ```ts
 * await using lock = await redlock.acquire('report')
 * lock.signal.addEventListener('abort', () => console.warn(lock.signal.reason)) // a LockLostError
 * ```
 */
export class LockLostError extends StatusError {
  override readonly name = 'LockLostError'
  readonly isLockLostError = true
  declare readonly keys: readonly string[]
  declare readonly id: string

  constructor(keys: readonly string[], id: string, why: string) {
    super(coded('ERL04', `Lost the lock on ${show(keys)}: ${why}`))
    Object.assign(this, { keys, id })
    this.setStatus(500)
  }
}

/**
 * True for a {@link LockLostError}, even from another realm, and for a copy of its properties.
 *
 * @group Errors
 * @example
 * ```ts
 * const error = await lock.extend().catch((reason: unknown) => reason)
 * if (isLockLostError(error)) return // another process may hold the lock by now
 * ```
 */
export const isLockLostError = (error: unknown): error is LockLostError =>
  branded(error, 'isLockLostError')
