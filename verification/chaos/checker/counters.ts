import type { StoreEvent } from '../campaign/events.ts'
import { checkUpdates } from './lost-updates.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'
import { type Counts, isCovered, noCounts } from './writes.ts'

// Compares the final content of the counters with the reads and writes of clients.

// A client checks the lock just before it writes. On a busy machine, up to this many ms can pass in between.
const maxGap = 500

/** Checks that the store contains every acknowledged write exactly once, and no rejected write. */
const checkAcknowledgements = (
  store: StoreEvent,
  history: History,
  counts: Counts,
): Violation[] => {
  const { key, kind, entries } = store
  const violations: Violation[] = []
  const found = new Set<string>()
  const violated = (check: string, operation: string, text: string): void =>
    void violations.push({ check, text: `${key}: ${operation} ${text}`, operations: [operation] })
  for (const { op } of entries) {
    if (found.has(op)) violated('written twice', op, 'is in the store more than once')
    found.add(op)
  }
  for (const operation of history.operations) {
    if (operation.keys[0] !== key) continue
    const { op, outcome, writingAt, validUntil } = operation
    const isStored = found.has(op)
    if (outcome === 'written' && !isStored) violated('write gone', op, 'was acknowledged')
    if (isStored && outcome === 'stale') violated('refused and written', op, 'was refused')
    if (isStored && outcome === 'written') counts.written++
    if (isStored && outcome !== 'written') counts.unacknowledged++
    if (outcome === 'stale') counts.refused++
    if (outcome === 'skipped') counts.skipped++
    if (kind === 'plain' && isStored && !isCovered(operation)) counts.late++
    if (kind === 'plain' && writingAt! > validUntil! + maxGap) {
      const late = moment(validUntil!, writingAt!)
      violated('held after its end', op, `began to write ${late} after the end of its lock`)
    }
  }
  return violations
}

export const checkCounters = (history: History): { counts: Counts; violations: Violation[] } => {
  const counts = noCounts()
  const violations = history.stores.flatMap((store) => [
    ...checkUpdates(store, history, counts),
    ...checkAcknowledgements(store, history, counts),
  ])
  return { counts, violations }
}
