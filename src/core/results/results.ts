import type { NodeReport } from './node-report.ts'

/**
 * Why a call was refused. `locked`: another holds the lock; `unavailable`: too few nodes answered to
 * know. `retryAfter` is in ms: when a quorum can come free, or when another try makes sense. `nodes`
 * says how each node answered the last try, which may have asked only one of them.
 */
export type Refusal = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

/** The `retryAfter` in ms if nobody knows when the lock comes free: another try may make sense then. */
export const unknownRetryAfter = 1_000

/** The same for a key that never expires: somebody has to delete it. */
export const endlessRetryAfter = 60_000

/**
 * How a release ended. `released`: a quorum confirmed it; `expired`: the lock was no longer ours;
 * `unconfirmed`: too few nodes answered to know, and whatever they still hold expires by itself.
 */
export type ReleaseResult = 'released' | 'expired' | 'unconfirmed'

/**
 * When a client should come back for what another holds, in ms: after a second, or as long as it has waited already,
 * whichever is later; but no later than the holder expires. Most holders end long before. A key that never expires is
 * no lock, so its rejection says itself when to look again.
 *
 * @param rejection - Its `retryAfter`: ms until the lock can be free at the latest.
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
