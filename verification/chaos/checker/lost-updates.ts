import type { Entry, StoreEvent } from '../campaign/events.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'
import { type Counts, isCovered } from './writes.ts'

// Checks that no update of a counter is lost: each value must have been computed from the previous one in the store.

const describe = ({ op, n, previous }: Entry, history: History): string => {
  const operation = history.byOp.get(op)
  const at = (time?: number): string => (time === undefined ? '?' : moment(history.begin, time))
  const times = operation && `read ${at(operation.readAt)}, wrote ${at(operation.writingAt)}`
  return `${op} (${times ?? 'unknown'}) made ${n} of the value of ${previous ?? 'nobody'}`
}

const violationOf = (
  key: string,
  entry: Entry,
  lost: readonly Entry[],
  history: History,
): Violation => {
  const examples = lost.slice(0, 3).map((one) => describe(one, history))
  return {
    check: 'lost update',
    text: `${key}: ${describe(entry, history)}, over ${lost.length} it had not seen: ${examples.join('; ')}`,
    operations: [entry.op, ...lost.map(({ op }) => op)],
  }
}

/** Finds lost updates of one counter, and counts those that are not violations. */
export const checkUpdates = (store: StoreEvent, history: History, counts: Counts): Violation[] => {
  const { key, kind, entries } = store
  const violations: Violation[] = []
  const jumps = clockJumpsOf(history)
  const indices = new Map(entries.map(({ op }, index) => [op, index]))
  const isSafe = ({ op }: Entry): boolean => {
    const operation = history.byOp.get(op)
    return operation !== undefined && isCovered(operation)
  }
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]
    const isNext = entry.previous === (before?.op ?? null) && entry.n === (before?.n ?? 0) + 1
    if (isNext) continue
    const seen = entry.previous === null ? -1 : (indices.get(entry.previous) ?? -1)
    const lost = entries.slice(seen + 1, index)
    const involved = [entry, ...lost].flatMap(({ op }) => history.byOp.get(op) ?? [])
    if (kind === 'plain' && (!isSafe(entry) || lost.every((one) => !isSafe(one)))) {
      counts.excused += lost.length
    } else if (kind === 'plain' && overlapsJump(jumps, involved, history.run.ttl)) {
      counts.lostByJump += lost.length
    } else violations.push(violationOf(key, entry, lost, history))
  }
  return violations
}
