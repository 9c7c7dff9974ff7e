import { type Clock, stopwatch } from './clock.ts'

/** Ms after which a lock is extended no more, where nothing else is said. */
export const longestHold = 600_000

/** What is kept alive: a lock, seen from here. */
type Kept = { readonly held: boolean; readonly extend: () => Promise<void> }

/**
 * Extends a lock each time a third of its ttl has passed, for as long as it then ends within
 * `maxHold` ms from now. A try that fails is repeated a tenth of the ttl later while the lock is
 * valid; its loss is told by `lock.signal`.
 *
 * @returns what stops it: to be called when the lock is released or lost.
 */
export const keepAlive = (lock: Kept, ttl: number, clock: Clock, maxHold: number): (() => void) => {
  const elapsed = stopwatch(clock)
  let cancelTimer: (() => void) | undefined
  const extendIn = (delay: number): void => {
    if (!lock.held || elapsed() + delay + ttl > maxHold) return
    cancelTimer = clock.setTimer(() => {
      lock.extend().then(
        () => extendIn(ttl / 3),
        () => extendIn(Math.max(5, ttl / 10)),
      )
    }, delay)
  }
  extendIn(ttl / 3)
  return () => cancelTimer?.()
}
