import { type Clock, sleep, type Stopwatch, stopwatch } from '../util/clock.ts'

// Calls that wait for others, and try again. A lock that is waited for has pauses of its own (retry.ts).

/** The longest pauses between two tries, in ms. Most are drawn at random, so that calls do not come together. */
export const pauses = {
  /** While another client gets a record to a quorum. */
  record: 50,
  /** While a call of `once` runs whose value is to be forgotten. */
  forget: 100,
  /** While others write to the same record: up to the first, which doubles with each try up to the second. */
  settle: [50, 1000],
  /** Before a node is asked again whose key was another's: that claim is being released. */
  heal: [0, 20, 200],
  /** After the moment at which a window opens. */
  window: 50,
  /** In an outage, at least. */
  outage: 50,
} as const

/** The wait of one call. */
export type Waiting = {
  /** Reads the ms since it began. */
  readonly elapsed: Stopwatch
  /** Reads the ms that are left; 0 once they are over. */
  readonly left: () => number
  /** Sleeps for so many ms, but for no longer than is left. @throws the signal's reason. */
  readonly pause: (ms: number) => Promise<void>
}

/** Begins to wait, for so many ms in all. */
export const waitingFor = (clock: Clock, wait: number, signal?: AbortSignal): Waiting => {
  const elapsed = stopwatch(clock)
  const left = (): number => Math.max(0, wait - elapsed())
  return { elapsed, left, pause: (ms) => sleep(clock, Math.min(left(), ms), signal) }
}
