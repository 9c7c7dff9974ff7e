import { isShaken, leapsOf } from './clock-jumps.ts'
import type { History, Operation } from './model.ts'
import { groupBy, moment, type Violation } from './violation.ts'

// No two clients hold one key at a time.

/** When a lock was held for sure, by the holder's own account. */
export type Hold = { readonly operation: Operation; readonly from: number; readonly until: number }

/**
 * From the moment the acquire returned until the validity was over, or the release began; not a
 * moment longer or sooner than the stamps can tell. Of a process that was killed, and whose last
 * words may be missing, until the last that was heard.
 */
export const holdOf = (operation: Operation, { processes }: History): Hold | undefined => {
  const { acquiredAt, validUntil, releasingAt, lostAt, lastAt, process } = operation
  if (acquiredAt === undefined) return undefined
  const { resolution, isComplete } = processes.get(process)!
  const silent = isComplete || releasingAt !== undefined ? Infinity : lastAt
  const ends = [validUntil!, releasingAt ?? Infinity, lostAt ?? Infinity, silent]
  return { operation, from: acquiredAt + resolution, until: Math.min(...ends) - resolution }
}

const describe = (key: string, one: Hold, other: Hold, begin: number): Violation => {
  const text = ({ operation, from, until }: Hold): string =>
    `by ${operation.op} from ${moment(begin, from)} to ${moment(begin, until)}`
  return {
    check: 'two holders',
    text: `${key} is held ${text(one)}, and ${text(other)}`,
    operations: [one.operation.op, other.operation.op],
  }
}

/** Those that are not, and how often a clock that leapt is an excuse for them. */
export const checkHolds = (history: History): { excused: number; violations: Violation[] } => {
  const { begin, operations } = history
  const leaps = leapsOf(history)
  const holds = operations.flatMap((operation) => holdOf(operation, history) ?? [])
  const violations: Violation[] = []
  let excused = 0
  for (const [key, group] of groupBy(holds, ({ operation }) => operation.key)) {
    let before: Hold | undefined
    for (const hold of group.sort((a, b) => a.from - b.from)) {
      if (before && hold.from < before.until && hold.from < hold.until) {
        const both = [before.operation, hold.operation]
        if (isShaken(leaps, both, history.run.ttl)) excused++
        else violations.push(describe(key, before, hold, begin))
      }
      if (!before || hold.until > before.until) before = hold
    }
  }
  return { excused, violations }
}
