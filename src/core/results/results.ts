import type { NodeReport } from './node-report.ts'

/**
 * The rejection of a call. The `reason` is `locked` if another client holds the lock, or `unavailable` if too few nodes
 * answered to decide. `retryAfter` is the time in ms until a quorum of nodes can be free, or until it makes sense to
 * try again. `nodes` contains each node's answer to the last try, which may have asked only one node.
 */
export type Rejection = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

/** The `retryAfter` if it is unknown when the lock will be free, in ms. */
export const unknownRetryAfter = 1_000

/** The `retryAfter` for a key that never expires and must be deleted manually, in ms. */
export const endlessRetryAfter = 60_000

/**
 * The result of a release. `released`: a quorum confirmed it. `expired`: the lock was no longer ours. `unconfirmed`:
 * too few nodes answered to decide, and any remaining keys expire automatically.
 */
export type ReleaseResult = 'released' | 'expired' | 'unconfirmed'

/**
 * When a client should try again for a lock that another client holds, in ms from now. This is a second, or the time
 * already waited if that is longer, but at most the remaining TTL of the lock. Most holders finish long before their
 * TTL ends. A key that never expires is not a lock, so its `retryAfter` is returned unchanged.
 *
 * @param rejection - The rejection, whose `retryAfter` is the remaining TTL of the lock.
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
