import { slotKeys } from '../campaign/settings.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { type Hold, holdOf } from './mutual-exclusion.ts'
import { moment, type Violation } from './violation.ts'

// A key with slots never has more holders than slots.

/** The holders of one key with slots. */
export type SlotCounts = {
  readonly name: string
  readonly limit: number
  /** The number of locks. */
  readonly locks: number
  /** The maximum number of holders at the same time, without those that a clock jump explains. */
  readonly maxHolders: number
  /** Moments with too many holders that a clock jump explains. */
  readonly excused: number
}

export const checkSlots = (
  history: History,
): { readonly slots: readonly SlotCounts[]; readonly violations: readonly Violation[] } => {
  const { operations, run, begin } = history
  const jumps = clockJumpsOf(history)
  const violations: Violation[] = []
  const slots = slotKeys.map(({ name, limit }): SlotCounts => {
    const own = operations.filter(({ kind, key }) => kind === 'slots' && key === name)
    const holds = own
      .flatMap((operation) => holdOf(operation, history) ?? [])
      .filter(({ from, until }) => from < until)
      .sort((a, b) => a.from - b.from)
    let [maxHolders, excused] = [0, 0]
    let holding: Hold[] = []
    for (const hold of holds) {
      holding = [...holding.filter(({ until }) => hold.from < until), hold]
      const all = holding.map(({ operation }) => operation)
      if (holding.length > limit && overlapsJump(jumps, all, run.ttl)) {
        excused++
        continue
      }
      maxHolders = Math.max(maxHolders, holding.length)
      if (holding.length <= limit) continue
      const names = all.map(({ op }) => op)
      violations.push({
        check: 'more holders than slots',
        text: `${name} is held by ${names.join(', ')} at ${moment(begin, hold.from)}`,
        operations: names,
      })
    }
    return { name, limit, locks: holds.length, maxHolders, excused }
  })
  return { slots, violations }
}
