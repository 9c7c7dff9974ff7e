import { type Clock, sleep, type Stopwatch, stopwatch } from '../../util/clock.ts'

// The only code that waits and tries again. Its times are in times.ts, and the pauses of a lock in retry.ts.

/** The pauses between the tries of a call, within a time limit. */
export type Pauses = {
  /** Reads the remaining ms; 0 after the end. */
  readonly left: () => number
  /**
   * Sleeps for `ms`, but no longer than the remaining time. The `wake` function that `onStart` receives ends the pause
   * early.
   *
   * @throws the signal's reason.
   */
  readonly pause: (ms: number, onStart?: (wake: () => void) => void) => Promise<void>
}

/** The wait of one call. */
export type Waiting = Pauses & {
  /** Reads the ms since it began. */
  readonly elapsed: Stopwatch
}

/** Pauses while there is time. `left` reads the remaining ms. */
export const waitingWhile = (clock: Clock, left: () => number, signal?: AbortSignal): Pauses => ({
  left,
  pause: (ms, onStart) => sleep(clock, Math.min(left(), ms), signal, onStart),
})

/** Begins a wait of `wait` ms in total. */
export const waitingFor = (
  clock: Clock,
  wait: number = Infinity,
  signal?: AbortSignal,
): Waiting => {
  const elapsed = stopwatch(clock)
  // Without a limit, there is no need to read the clock.
  const left = (): number => (wait < Infinity ? Math.max(0, wait - elapsed()) : wait)
  return { elapsed, ...waitingWhile(clock, left, signal) }
}
