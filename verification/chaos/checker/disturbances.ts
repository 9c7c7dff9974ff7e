import type { History } from './model.ts'

// Disturbances of particular client processes during a particular time.

/** A time window and the relevant processes, including their generations. */
export type Window = {
  readonly from: number
  readonly until: number
  readonly processes: readonly string[]
}

// Clients reconnect for this long after a fault, in ms.
const settling = 500
// Each timer lag event covers this many ms before it.
const lagPeriod = 1000
// Above this timer lag, in ms, a delay may be due to a busy machine instead of a fault.
const maxLag = 100

/** Whether a fault has an effect in the window. */
const overlaps = (one: { from: number; until: number }, { from, until }: Window): boolean =>
  one.from <= until && one.until + settling >= from

/** The indices of the nodes that were affected at any time, as these processes see them. */
export const affectedIn = ({ faults }: History, window: Window): Set<number> => {
  const names = new Set(window.processes.map((process) => process.split('.')[0]))
  const seen = faults.filter(({ fault, from, until }) => {
    const isOnLinkOfOthers =
      fault.processes.length > 0 && !fault.processes.some((name) => names.has(name))
    return !isOnLinkOfOthers && overlaps({ from, until }, window)
  })
  return new Set(seen.flatMap(({ fault }) => fault.nodes))
}

/** Whether one of these processes was paused or killed. */
export const wasHit = ({ processes }: History, window: Window): boolean =>
  window.processes.some((name) => {
    const { killedAt = Infinity, paused } = processes.get(name)!
    return killedAt <= window.until || paused.some((span) => overlaps(span, window))
  })

/** Whether a timer lag, in ms, shows that the client was too busy. */
export const isLate = (late = 0): boolean => late > maxLag

/**
 * Whether the machine was so busy that timers were late, in the main process or in the relevant clients.
 *
 * @param lates - The measurements of these clients, in ms.
 */
export const wasBusy = (
  { timerLags }: History,
  { from, until }: Window,
  lates: readonly (number | undefined)[],
): boolean =>
  lates.some(isLate) ||
  timerLags.some(({ at, late }) => isLate(late) && at >= from && at - lagPeriod <= until)
