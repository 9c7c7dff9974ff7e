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

export const checkHolds = (history: History): Violation[] => {
  const { begin, operations } = history
  const holds = operations.flatMap((operation) => holdOf(operation, history) ?? [])
  const violations: Violation[] = []
  for (const [key, group] of groupBy(holds, ({ operation }) => operation.key)) {
    let before: Hold | undefined
    for (const hold of group.sort((a, b) => a.from - b.from)) {
      if (before && hold.from < before.until && hold.from < hold.until) {
        const text = ({ operation, from, until }: Hold): string =>
          `by ${operation.op} from ${moment(begin, from)} to ${moment(begin, until)}`
        violations.push({
          check: 'two holders',
          text: `${key} is held ${text(before)}, and ${text(hold)}`,
          operations: [before.operation.op, hold.operation.op],
        })
      }
      if (!before || hold.until > before.until) before = hold
    }
  }
  return violations
}
