import type { KeepAliveLimits } from '../options/keep-alive-options.ts'
import { isAffordable, mayBecomeAffordable } from '../local/budget.ts'
import type { Lease } from '../vote/lease.ts'
import { validityOf } from '../vote/validity.ts'
import { stopwatch } from '../util/clock.ts'
import { minTtl } from '../util/validate.ts'

/** A lock, as far as it matters for keeping it alive. */
type Extendable = {
  readonly expiresIn: () => number
  readonly extend: (ttl: number) => Promise<void>
}

// Ms after which another try begins, unless the nodes are far away: a node that hangs or a request that
// was lost must not hold up the next try.
const maxTryTime = 500

/**
 * Extends a lock again and again: a third of the ttl after the last extension, or as soon as only half
 * of the validity is left. Acquiring the lock may have used up that much, for example when a node hung
 * and the vote was split. It stops `maxHold` ms from now, after `maxExtensions`, and once the budget
 * does not allow more. `lock.signal` aborts when the lock is lost.
 *
 * An extension that fails or takes long is tried again after an eighth of the validity, 500 ms at most;
 * later only if the nodes are that far away. Several tries may be under way, and count as one.
 *
 * @returns a function that stops it, for when the lock is released or lost.
 */
export const keepAlive = (
  lock: Extendable,
  lease: Lease,
  { maxHold, maxExtensions }: KeepAliveLimits,
): (() => void) => {
  const { ttl, subject } = lease
  const { client, budget } = subject
  const { length } = client.nodes
  const elapsed = stopwatch(client.clock)
  /** Ms for which a lock is valid from the moment it is asked for. */
  const validity = validityOf(client, ttl)
  /** Ms that the nodes took last: for the acquire, and then for an extension. */
  let roundTrip = validity - lock.expiresIn()
  /** When the nodes let the lock expire, in ms since the start. */
  let end = ttl - roundTrip
  let extensions = 0
  let cancelTimer: (() => void) | undefined

  /** Runs the next try after that many ms, at once if they are below 0. */
  const schedule = (delay: number): void => {
    cancelTimer?.()
    if (lock.expiresIn() > 0) cancelTimer = client.clock.setTimer(() => void tryExtension(), delay)
  }
  /** An extension is due after a third of the ttl, and while half of the validity is left. */
  const scheduleNext = (): void => {
    cancelTimer?.()
    // The last bit up to `maxHold` is not worth a round.
    if (extensions >= maxExtensions || maxHold - end < Math.max(minTtl, validity / 8)) return
    schedule(Math.min(ttl / 3, lock.expiresIn() - validity / 2))
  }
  const tryExtension = async (): Promise<void> => {
    const begun = elapsed()
    const next = Math.min(maxHold, begun + ttl)
    const life = Math.round(next - begun)
    if (life < minTtl || !mayBecomeAffordable(budget, length)) return
    const number = extensions
    // Nodes that are far away need some time.
    const tryTime = Math.max(Math.min(maxTryTime, validity / 8), 2 * roundTrip)
    schedule(Math.min(tryTime, validity / 3))
    // The next try may be affordable.
    if (!isAffordable(budget, length)) return
    try {
      await lock.extend(life)
    } catch {
      return
    }
    // An earlier try may have succeeded meanwhile.
    if (extensions > number) return
    extensions++
    end = next
    roundTrip = elapsed() - begun
    scheduleNext()
  }
  scheduleNext()
  return () => cancelTimer?.()
}
