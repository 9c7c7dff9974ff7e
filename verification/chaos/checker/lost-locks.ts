import { affectedIn, isLate, wasBusy, wasHit, type Window } from './disturbances.ts'
import type { Operation } from '../../history/operation.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks that no holder loses a lock that it keeps alive, as long as a quorum of nodes holds the lock and replies.

// In addition to its round trip, an extension can take up to this multiple of the p99 of an acquire without faults. On a
// slower machine, a lock can end before the nodes have replied.
const maxPatience = 3

export type LostLocks = {
  /** The number of locks that were kept alive, and the number of extensions. */
  readonly kept: number
  readonly extensions: number
  /** The locks that were lost, by the first of these reasons that applies. */
  readonly lost: {
    /** No quorum of healthy nodes held the lock. */
    readonly withoutQuorum: number
    /** The process of the holder was paused. */
    readonly clientHit: number
    /** Timers or replies were late without any fault. */
    readonly machineBusy: number
    /** None of the reasons above applies: violations. */
    readonly needless: number
  }
}

/** The nodes that held the lock and were healthy from its last renewal until it was lost. */
const wellNodesOf = (history: History, { grantedBy = [] }: Operation, window: Window): number[] => {
  const affected = affectedIn(history, window)
  return grantedBy.filter((node) => !affected.has(node))
}

/** @param usual - The p99 of acquires without faults, in ms. */
const isMachineBusy = (
  history: History,
  { process, validity, renewedAt, lostAt, extendingAt, lateLoss }: Operation,
  window: Window,
  usual: number,
): boolean => {
  const age = lostAt! - renewedAt!
  if (isLate(lateLoss)) return true
  // A busy machine can explain a slow extension, but not a missing one.
  if (extendingAt === undefined && isLate(age)) return false
  // An extension is due when half of the validity is left, unless the acquire has used up more.
  const { roundTrip } = history.processes.get(process)!
  const isTimeEnough = Math.min(age, validity! / 2) >= roundTrip + maxPatience * usual
  return !isTimeEnough || wasBusy(history, window, [])
}

/** @param usual - The p99 of acquires without faults, in ms. */
export const checkLostLocks = (
  history: History,
  usual: number,
): { lostLocks: LostLocks; violations: Violation[] } => {
  const { operations, run, begin, end } = history
  const quorum = (run.nodes.length >> 1) + 1
  const kept = operations.filter(
    ({ kind, acquiredAt = -Infinity }) => kind === 'burst' && acquiredAt >= begin,
  )
  const lost = { withoutQuorum: 0, clientHit: 0, machineBusy: 0, needless: 0 }
  const violations: Violation[] = []
  for (const operation of kept) {
    const { op, keys, process, renewedAt, lostAt = Infinity } = operation
    if (lostAt > end) continue
    const window = { from: renewedAt!, until: lostAt, processes: [process] }
    const well = wellNodesOf(history, operation, window)
    if (well.length < quorum) lost.withoutQuorum++
    else if (wasHit(history, window)) lost.clientHit++
    else if (isMachineBusy(history, operation, window, usual)) lost.machineBusy++
    else {
      lost.needless++
      const names = well.map((node) => run.nodes[node]).join(', ')
      const text = `${keys[0]}: ${op} renewed its lock at ${moment(begin, renewedAt!)} and lost it at ${moment(begin, lostAt)}, although ${names} had it and were well`
      violations.push({ check: 'lost lock', text, operations: [op] })
    }
  }
  const extensions = kept.reduce((sum, one) => sum + (one.extensions ?? 0), 0)
  return { lostLocks: { kept: kept.length, extensions, lost }, violations }
}
