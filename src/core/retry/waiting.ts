import { type Clock, sleep, type Stopwatch, stopwatch } from '../../util/clock.ts'

// All loops that wait and try again use this module. The times are in times.ts, and the pauses between tries for a lock
// in retry.ts.

/** The pauses between the tries of a call, within a time limit. */
export type Pauses = {
  /** Returns the remaining time in ms; 0 after the end. */
  readonly left: () => number
  /**
   * Sleeps for `ms`, but no longer than the remaining time. `onStart` receives a function that ends the pause early.
   *
   * @throws the signal's reason.
   */
  readonly pause: (ms: number, onStart?: (wake: () => void) => void) => Promise<void>
}

/** The pauses of one call, and the time since the call began. */
export type Waiting = Pauses & {
  /** Returns the time since the wait began, in ms. */
  readonly elapsed: Stopwatch
}

/** Pauses that end when no time is left. `left` returns the remaining time in ms. */
export const waitingWhile = (clock: Clock, left: () => number, signal?: AbortSignal): Pauses => ({
  left,
  pause: (ms, onStart) => sleep(clock, Math.min(left(), ms), signal, onStart),
})

/** Starts a wait of `wait` ms in total. */
export const waitingFor = (
  clock: Clock,
  wait: number = Infinity,
  signal?: AbortSignal,
): Waiting => {
  const elapsed = stopwatch(clock)
  // If there is no limit, reading the clock is unnecessary.
  const left = (): number => (wait < Infinity ? Math.max(0, wait - elapsed()) : wait)
  return { elapsed, ...waitingWhile(clock, left, signal) }
}
