import { type Clock, stopwatch } from '../util/clock.ts'
import { checkInteger, checkNumber, leastTtl } from '../util/validate.ts'
import type { Lock } from './lock.ts'

/** For how long a lock is extended while work goes on. */
export type KeepAliveOptions = {
  /** Ms for which the lock is held at most, whatever still runs. Default 10 minutes. */
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
type Kept = Pick<Lock, 'expiresIn' | 'extend'>

/**
 * Extends a lock each time a third of its validity has passed, but not beyond `maxHold` ms from now,
 * at most `maxExtensions` times, and while it can be afforded. A try that fails is repeated an eighth
 * of the validity later while the lock is valid; its loss is told by `lock.signal`.
 *
 * What counts is the validity that is left: the acquire may have used up most of it, as when a node
 * hung and the vote was split.
 *
 * @param validity - Ms that a lock is valid from the moment it is asked for.
 * @returns what stops it: to be called when the lock is released or lost.
 */
export const keepAlive = (
  lock: Kept,
  ttl: number,
  validity: number,
  clock: Clock,
  { maxHold, maxExtensions }: Limits,
  isAffordable: () => boolean,
): (() => void) => {
  const elapsed = stopwatch(clock)
  let cancelTimer: (() => void) | undefined
  /** Ms until two thirds of the validity are left, from which on an extension is due. */
  const untilDue = (): number => Math.max(0, lock.expiresIn - (2 / 3) * validity)
  /** `end`: until when the lock lives, in ms since the start. */
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
