import { type Clock, sleep, type Stopwatch, stopwatch } from '../../util/clock.ts'

// The one way to wait, and try again. Its times are in times.ts, and the pauses of a lock in retry.ts.

/** The pauses between the tries of a call, in a limited time. */
export type Pauses = {
  /** Reads the ms that are left; 0 once they are over. */
  readonly left: () => number
  /**
   * Sleeps for so many ms, but for no longer than is left, or until somebody calls the `wake` function that `onStart`
   * receives.
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

/** Pauses while there is time. `left` reads how many ms that are. */
export const waitingWhile = (clock: Clock, left: () => number, signal?: AbortSignal): Pauses => ({
  left,
  pause: (ms, onStart) => sleep(clock, Math.min(left(), ms), signal, onStart),
})

/** Begins to wait, for so many ms in all. */
export const waitingFor = (
  clock: Clock,
  wait: number = Infinity,
  signal?: AbortSignal,
): Waiting => {
  const elapsed = stopwatch(clock)
  // Without a limit, no clock has to be read.
  const left = (): number => (wait < Infinity ? Math.max(0, wait - elapsed()) : wait)
  return { elapsed, ...waitingWhile(clock, left, signal) }
}
