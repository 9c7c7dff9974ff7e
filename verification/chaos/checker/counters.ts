import type { Entry, StoreEvent } from '../campaign/history.ts'
import { isShaken, leapsOf } from './clock-jumps.ts'
import type { History, Operation } from './model.ts'
import { moment, type Violation } from './violation.ts'

// No update of a counter is lost: each value was made from the one right before it. The store knows
// their order.

/** How the writes of the counters ended. */
export type Counts = {
  /** Acknowledged, and in the store. */
  written: number
  /** In the store, but its writer was killed before it heard so. */
  unacknowledged: number
  /** Refused by the guard. */
  refused: number
  /** Not written, since the lock was not held any more. */
  skipped: number
  /** Without a guard, acknowledged after the lock was over: nothing is promised of those. */
  late: number
  /** Lost by such a write. */
  excused: number
  /** Lost as a clock leapt. */
  leapt: number
}

// By how much the look at the lock and the write may be apart: the machine is busy. In ns.
const glance = 500e6

// A write whose acknowledgement is missing is taken to have been done within so many ns.
const promptly = 1e9

/** Whether all of a write was done while the lock was held for sure. */
const isCovered = ({ writingAt, writtenAt, validUntil }: Operation): boolean =>
  writingAt !== undefined && (writtenAt ?? writingAt + promptly) <= validUntil!

const describe = ({ op, n, previous }: Entry, history: History): string => {
  const operation = history.byOp.get(op)
  const at = (time?: number): string => (time === undefined ? '?' : moment(history.begin, time))
  const times = operation && `read ${at(operation.readAt)}, wrote ${at(operation.writingAt)}`
  return `${op} (${times ?? 'unknown'}) made ${n} of the value of ${previous ?? 'nobody'}`
}

const checkChain = (store: StoreEvent, history: History, counts: Counts): Violation[] => {
  const { key, kind, entries } = store
  const violations: Violation[] = []
  const leaps = leapsOf(history)
  const places = new Map(entries.map(({ op }, index) => [op, index]))
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1]
    const isNext = entry.previous === (before?.op ?? null) && entry.n === (before?.n ?? 0) + 1
    if (isNext) continue
    // Those that it has overwritten without having seen them.
    const seen = entry.previous === null ? -1 : (places.get(entry.previous) ?? -1)
    const unseen = entries.slice(seen + 1, index)
    const covered = (one: Entry): boolean => {
      const operation = history.byOp.get(one.op)
      return operation !== undefined && isCovered(operation)
    }
    if (kind === 'plain' && (!covered(entry) || unseen.every((one) => !covered(one)))) {
      counts.excused += unseen.length
      continue
    }
    const involved = [entry, ...unseen].flatMap(({ op }) => history.byOp.get(op) ?? [])
    if (kind === 'plain' && isShaken(leaps, involved, history.run.ttl)) {
      counts.leapt += unseen.length
      continue
    }
    const text = `${key}: ${describe(entry, history)}, over ${unseen.length} it had not seen: ${unseen
      .slice(0, 3)
      .map((one) => describe(one, history))
      .join('; ')}`
    violations.push({
      check: 'lost update',
      text,
      operations: [entry.op, ...unseen.map(({ op }) => op)],
    })
  }
  return violations
}

/** What clients were told of their writes is what the store holds. */
const checkAnswers = (store: StoreEvent, history: History, counts: Counts): Violation[] => {
  const { key, kind, entries } = store
  const violations: Violation[] = []
  const found = new Set<string>()
  const wrong = (check: string, operation: string, text: string): void =>
    void violations.push({ check, text: `${key}: ${operation} ${text}`, operations: [operation] })
  for (const { op } of entries) {
    if (found.has(op)) wrong('written twice', op, 'is in the store more than once')
    found.add(op)
  }
  for (const operation of history.operations) {
    if (operation.key !== key) continue
    const { op, outcome } = operation
    const isThere = found.has(op)
    if (outcome === 'written' && !isThere) wrong('write gone', op, 'was acknowledged')
    if (isThere && outcome === 'refused') wrong('refused and written', op, 'was refused')
    if (isThere && outcome === 'written') counts.written++
    if (isThere && outcome !== 'written') counts.unacknowledged++
    if (outcome === 'refused') counts.refused++
    if (outcome === 'skipped') counts.skipped++
    if (kind === 'plain' && isThere && !isCovered(operation)) counts.late++
    // The client looks whether the lock is held right before it writes.
    if (kind === 'plain' && operation.writingAt! > operation.validUntil! + glance) {
      wrong(
        'held after its end',
        op,
        `began to write ${moment(operation.validUntil!, operation.writingAt!)} after the end of its lock`,
      )
    }
  }
  return violations
}

export const checkCounters = (history: History): { counts: Counts; violations: Violation[] } => {
  const counts = {
    written: 0,
    unacknowledged: 0,
    refused: 0,
    skipped: 0,
    late: 0,
    excused: 0,
    leapt: 0,
  }
  const violations = history.stores.flatMap((store) => [
    ...checkChain(store, history, counts),
    ...checkAnswers(store, history, counts),
  ])
  return { counts, violations }
}
