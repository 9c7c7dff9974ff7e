import type { Clock } from '../../src/index.ts'

/** A clock that can be put forward. */
export type MovableClock = Clock & {
  /** Puts the clock forward, in ms. The timers that are due then fire at once. */
  readonly forward: (ms: number) => void
  /** The number of timers that have neither fired nor been cancelled. */
  readonly running: () => number
}

/** A clock that goes like that of the machine, unless a test puts it forward. */
export const movableClock = (): MovableClock => {
  let offset = 0
  const timers = new Map<() => void, number>()
  const monotonic = (): number => performance.now() + offset
  return {
    wall: () => Date.now() + offset,
    monotonic,
    setTimer: (callback, delay) => {
      const cancel = (): void => {
        clearTimeout(timer)
        timers.delete(fire)
      }
      const fire = (): void => {
        cancel()
        callback()
      }
      const timer = setTimeout(fire, Math.max(0, delay))
      timers.set(fire, monotonic() + delay)
      return cancel
    },
    forward: (ms) => {
      offset += ms
      const due = [...timers].filter(([, at]) => at <= monotonic())
      for (const [fire] of due.toSorted(([, a], [, b]) => a - b)) if (timers.has(fire)) fire()
    },
    running: () => timers.size,
  }
}
