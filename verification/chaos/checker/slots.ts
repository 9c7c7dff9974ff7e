import { slotKeys } from '../campaign/settings.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { type Hold, holdOf } from './mutual-exclusion.ts'
import { moment, type Violation } from './violation.ts'

// At no time has a key with slots more holders than slots.

/** The holders of one key with slots. */
export type SlotCounts = {
  readonly limit: number
  /** How many locks there were, and how many at the same time at most, beside clock jumps. */
  readonly locks: number
  readonly most: number
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
    let [most, excused] = [0, 0]
    let holding: Hold[] = []
    for (const hold of holds) {
      holding = [...holding.filter(({ until }) => hold.from < until), hold]
      const all = holding.map(({ operation }) => operation)
      if (holding.length > limit && overlapsJump(jumps, all, run.ttl)) {
        excused++
        continue
      }
      most = Math.max(most, holding.length)
      if (holding.length <= limit) continue
      const names = all.map(({ op }) => op)
      violations.push({
        check: 'more holders than slots',
        text: `${name} is held by ${names.join(', ')} at ${moment(begin, hold.from)}`,
        operations: names,
      })
    }
    return { limit, locks: holds.length, most, excused }
  })
  return { slots, violations }
}
