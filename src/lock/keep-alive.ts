import type { KeepAliveLimits } from '../options/keep-alive-options.ts'
import { isAffordable, type Lease } from '../quorum/lease.ts'
import { validityOf } from '../quorum/validity.ts'
import { stopwatch } from '../util/clock.ts'
import { minTtl } from '../util/validate.ts'

/** A lock, as far as it matters for keeping it alive. */
type Extendable = {
  readonly expiresIn: number
  readonly extend: (ttl: number) => Promise<void>
}

// Ms after which another try begins, if an extension has not ended: a node that hangs or a request that
// was lost must not hold up the next try.
const maxTryTime = 500

/**
 * Extends a lock again and again: a third of the ttl after the last extension, or as soon as only half
 * of the validity is left. Acquiring the lock may have used up that much, for example when a node hung
 * and the vote was split. It stops `maxHold` ms from now, after `maxExtensions`, and once the budget
 * does not allow more. An extension that fails is repeated an eighth of the validity later while the
 * lock is valid; `lock.signal` aborts when it is lost.
 *
 * @returns a function that stops it, for when the lock is released or lost.
 */
export const keepAlive = (
  lock: Extendable,
  lease: Lease,
  { maxHold, maxExtensions }: KeepAliveLimits,
): (() => void) => {
  const { client, ttl } = lease
  const elapsed = stopwatch(client.clock)
  /** Ms for which a lock is valid from the moment it is asked for. */
  const validity = validityOf(client, ttl, () => 0)()
  let extensions = 0
  /** When the nodes let the lock expire, in ms since the start. */
  let end = lock.expiresIn + ttl - validity
  let cancelTimer: (() => void) | undefined

  const schedule = (run: () => Promise<void>, delay: number): void => {
    cancelTimer?.()
    if (lock.expiresIn > 0) cancelTimer = client.clock.setTimer(() => void run(), delay)
  }
  /** An extension is due after a third of the ttl, and while half of the validity is left. */
  const scheduleNext = (): void => {
    // The last bit up to `maxHold` is not worth a round.
    if (extensions >= maxExtensions || maxHold - end < Math.max(minTtl, validity / 8)) return
    schedule(tryExtension, Math.max(0, Math.min(ttl / 3, lock.expiresIn - validity / 2)))
  }
  const tryExtension = async (): Promise<void> => {
    const next = Math.min(maxHold, elapsed() + ttl)
    const life = Math.round(next - elapsed())
    if (life < minTtl || !isAffordable(lease)) return
    const number = extensions
    schedule(tryExtension, Math.min(maxTryTime, validity / 3))
    try {
      await lock.extend(life)
    } catch {
      if (extensions === number) schedule(tryExtension, validity / 8)
      return
    }
    // An earlier try may have succeeded meanwhile.
    if (extensions > number) return
    extensions++
    end = next
    cancelTimer?.()
    scheduleNext()
  }
  scheduleNext()
  return () => cancelTimer?.()
}
