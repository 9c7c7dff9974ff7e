import { type Rivals, rivalsOf } from '../../history/holders.ts'
import type { Hold } from '../../history/records.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// No two clients hold the lock of one key, or one slot of a key, at the same time.

/**
 * The periods for which clients certainly held locks, by their own account: from the return of the acquire until the
 * end of the validity or the beginning of the release, less the resolution of the times. A process whose events may
 * be missing after a kill certainly held the lock only until its last event.
 */
export const holdsOf = ({ operations, processes }: History): Hold[] =>
  operations.flatMap((operation) => {
    const { op, key, slot, acquiredAt, validUntil, releasingAt, lostAt, lastAt, process } =
      operation
    if (acquiredAt === undefined) return []
    const { resolution, isComplete } = processes.get(process)!
    const lastEvent = isComplete || releasingAt !== undefined ? Infinity : lastAt
    const ends = [validUntil!, releasingAt ?? Infinity, lostAt ?? Infinity, lastEvent]
    const until = Math.min(...ends) - resolution
    return { process, keys: [slot ?? key], value: op, from: acquiredAt + resolution, until }
  })

const violationOf = ({ key, first, second }: Rivals, begin: number): Violation => {
  const text = ({ value, from, until }: Hold): string =>
    `by ${value} from ${moment(begin, from)} to ${moment(begin, until)}`
  return {
    check: 'two holders',
    text: `${key} is held ${text(first)}, and ${text(second)}`,
    operations: [first.value, second.value],
  }
}

/** Finds pairs of holders. Those that a clock jump explains are counted, but are no violations. */
export const checkMutualExclusion = (
  history: History,
): { excused: number; violations: Violation[] } => {
  const { begin, run, byOp } = history
  const jumps = clockJumpsOf(history)
  const rivals = rivalsOf(holdsOf(history))
  const unexplained = rivals.filter(({ first, second }) => {
    const both = [first, second].map(({ value }) => byOp.get(value)!)
    return !overlapsJump(jumps, both, run.ttl)
  })
  return {
    excused: rivals.length - unexplained.length,
    violations: unexplained.map((pair) => violationOf(pair, begin)),
  }
}
