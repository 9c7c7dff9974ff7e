import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History, Operation } from './model.ts'
import { groupBy, moment, type Violation } from './violation.ts'

// No two clients hold the lock of one key, or one slot of a key, at the same time.

/** A period for which a client certainly held a lock, by its own account. */
export type Hold = { readonly operation: Operation; readonly from: number; readonly until: number }

/**
 * From the return of the acquire until the end of the validity or the beginning of the release, less
 * the resolution of the times. A process whose events may be missing after a kill certainly held the
 * lock only until its last event.
 */
export const holdOf = (operation: Operation, { processes }: History): Hold | undefined => {
  const { acquiredAt, validUntil, releasingAt, lostAt, lastAt, process } = operation
  if (acquiredAt === undefined) return undefined
  const { resolution, isComplete } = processes.get(process)!
  const lastEvent = isComplete || releasingAt !== undefined ? Infinity : lastAt
  const ends = [validUntil!, releasingAt ?? Infinity, lostAt ?? Infinity, lastEvent]
  return { operation, from: acquiredAt + resolution, until: Math.min(...ends) - resolution }
}

const violationOf = (key: string, one: Hold, other: Hold, begin: number): Violation => {
  const text = ({ operation, from, until }: Hold): string =>
    `by ${operation.op} from ${moment(begin, from)} to ${moment(begin, until)}`
  return {
    check: 'two holders',
    text: `${key} is held ${text(one)}, and ${text(other)}`,
    operations: [one.operation.op, other.operation.op],
  }
}

/** Finds pairs of holders. Those that a clock jump explains are counted, but are no violations. */
export const checkMutualExclusion = (
  history: History,
): { excused: number; violations: Violation[] } => {
  const { begin, operations, run } = history
  const jumps = clockJumpsOf(history)
  const holds = operations.flatMap((operation) => holdOf(operation, history) ?? [])
  const violations: Violation[] = []
  let excused = 0
  const resourceOf = ({ operation: { slot, key } }: Hold): string => slot ?? key
  for (const [key, group] of groupBy(holds, resourceOf)) {
    let before: Hold | undefined
    for (const hold of group.sort((a, b) => a.from - b.from)) {
      if (before && hold.from < before.until && hold.from < hold.until) {
        const both = [before.operation, hold.operation]
        if (overlapsJump(jumps, both, run.ttl)) excused++
        else violations.push(violationOf(key, before, hold, begin))
      }
      if (!before || hold.until > before.until) before = hold
    }
  }
  return { excused, violations }
}
