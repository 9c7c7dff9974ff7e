import type { KeepAliveLimits } from '../options/keep-alive-options.ts'
import { type Clock, stopwatch } from '../util/clock.ts'
import { leastTtl } from '../util/validate.ts'

/** A lock, as far as it matters for keeping it alive. */
type Extendable = {
  readonly expiresIn: number
  readonly extend: (ttl: number) => Promise<void>
}

/**
 * Extends a lock each time a third of its validity has passed, but not beyond `maxHold` ms from now, at
 * most `maxExtensions` times, and only while the budget allows it. An extension that fails is repeated
 * an eighth of the validity later while the lock is valid; `lock.signal` tells of its loss.
 *
 * The schedule follows the validity that is left: acquiring the lock may have used up most of it, for
 * example when a node hung and the vote was split.
 *
 * @param validity - Ms for which a lock is valid from the moment it is asked for.
 * @returns a function that stops it, for when the lock is released or lost.
 */
export const keepAlive = (
  lock: Extendable,
  ttl: number,
  validity: number,
  clock: Clock,
  { maxHold, maxExtensions }: KeepAliveLimits,
  isAffordable: () => boolean,
): (() => void) => {
  const elapsed = stopwatch(clock)
  let cancelTimer: (() => void) | undefined
  /** Ms until two thirds of the validity are left, when an extension is due. */
  const untilDue = (): number => Math.max(0, lock.expiresIn - (2 / 3) * validity)
  /** `end`: when the nodes let the lock expire, in ms since the start. */
  const extendIn = (delay: number, extensions: number, end: number): void => {
    if (lock.expiresIn <= 0 || extensions <= 0 || maxHold - end < leastTtl) return
    cancelTimer = clock.setTimer(() => {
      const next = Math.min(maxHold, elapsed() + ttl)
      const life = Math.round(next - elapsed())
      if (life < leastTtl || !isAffordable()) return
      lock.extend(life).then(
        () => extendIn(untilDue(), extensions - 1, next),
        () => extendIn(validity / 8, extensions, end),
      )
    }, delay)
  }
  extendIn(untilDue(), maxExtensions, Math.min(ttl, lock.expiresIn + ttl - validity))
  return () => cancelTimer?.()
}
