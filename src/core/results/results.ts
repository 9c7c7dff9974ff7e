import type { NodeReport } from './node-report.ts'

/**
 * The rejection of a call. The `reason` is `locked` if another owner holds the lock, or `unavailable` if too few nodes
 * answered to decide. `retryAfter` is in ms: when a quorum can become free, or when another try makes sense. `nodes`
 * has each node's answer to the last try, which may have asked only one of them.
 */
export type Rejection = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

/** The `retryAfter` in ms if it is unknown when the lock becomes free: another try may then make sense. */
export const unknownRetryAfter = 1_000

/** The same for a key that never expires and must be deleted manually. */
export const endlessRetryAfter = 60_000

/**
 * The result of a release. `released`: a quorum confirmed it. `expired`: the lock was no longer ours. `unconfirmed`:
 * too few nodes answered to decide, and any remaining keys expire automatically.
 */
export type ReleaseResult = 'released' | 'expired' | 'unconfirmed'

/**
 * The ms after which a client should try again for a lock that another owner holds. This is a second, or the time that
 * it has already waited, whichever is longer, but no longer than the TTL of the lock. Most holders finish long before
 * the TTL. A key that never expires is not a lock, so the `retryAfter` of its rejection applies.
 *
 * @param rejection - Its `retryAfter` is the maximum time in ms until the lock can be free.
 */
export const worthRetryAfter = (
  {
    retryAfter,
    nodes = [],
  }: { readonly retryAfter: number; readonly nodes?: readonly NodeReport[] | undefined },
  waited: number = 0,
): number => {
  const neverEnds = nodes.some(({ status, ttl }) => status === 'foreign' && ttl === undefined)
  return neverEnds ? retryAfter : Math.min(retryAfter, Math.max(unknownRetryAfter, waited))
}
