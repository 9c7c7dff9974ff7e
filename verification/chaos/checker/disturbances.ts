import type { History } from './model.ts'

// A disturbance of certain client processes during a certain time.

/** A time window and the relevant processes, with their generations. */
export type Window = {
  readonly from: number
  readonly until: number
  readonly processes: readonly string[]
}

// Clients reconnect for this long after a fault, in ms.
const settling = 500
// A timer lag describes the second before its event, in ms.
const lagPeriod = 1000
// From this timer lag on, in ms, a delay may come from the machine instead of the faults.
const maxLag = 100

/** Whether a fault still has an effect in the window. */
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

/** Whether timers that are this many ms late mean that the client was too busy. */
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
