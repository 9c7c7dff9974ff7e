import { type Clock, stopwatch } from './clock.ts'
import { checkInteger, checkNumber } from './expect.ts'

/** For how long a lock is extended while work goes on. */
export type KeepAliveOptions = {
  /** Ms after which the lock is extended no more, whatever still runs. Default 10 minutes. */
  readonly maxHold?: number | undefined
  /** How many times it is extended at most. Default: no limit but `maxHold`. */
  readonly maxExtensions?: number | undefined
}

/** The options, checked and complete. */
export type Limits = { readonly maxHold: number; readonly maxExtensions: number }

/** Checks the options at the door, before anything is locked. */
export const checkKeepAlive = ({
  maxHold = 600_000,
  maxExtensions = Infinity,
}: KeepAliveOptions): Limits => {
  checkInteger('maxHold', maxHold)
  checkNumber('maxExtensions', maxExtensions, 0)
  return { maxHold, maxExtensions }
}

/** What is kept alive: a lock, seen from here. */
type Kept = { readonly held: boolean; readonly extend: () => Promise<void> }

/**
 * Extends a lock each time a third of its ttl has passed, for as long as it then ends within
 * `maxHold` ms from now, and at most `maxExtensions` times. A try that fails is repeated an eighth
 * of the ttl later while the lock is valid; its loss is told by `lock.signal`.
 *
 * @returns what stops it: to be called when the lock is released or lost.
 */
export const keepAlive = (
  lock: Kept,
  ttl: number,
  clock: Clock,
  { maxHold, maxExtensions }: Limits,
): (() => void) => {
  const elapsed = stopwatch(clock)
  let cancelTimer: (() => void) | undefined
  const extendIn = (delay: number, extensions: number): void => {
    if (!lock.held || extensions <= 0 || elapsed() + delay + ttl > maxHold) return
    cancelTimer = clock.setTimer(() => {
      lock.extend().then(
        () => extendIn(ttl / 3, extensions - 1),
        () => extendIn(ttl / 8, extensions),
      )
    }, delay)
  }
  extendIn(ttl / 3, maxExtensions)
  return () => cancelTimer?.()
}
