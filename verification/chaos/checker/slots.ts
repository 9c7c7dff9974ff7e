import { crowdsOf } from '../../history/holders.ts'
import { slotKeys } from '../campaign/settings.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { holdsOf } from './mutual-exclusion.ts'
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
  const { byOp, run, begin } = history
  const jumps = clockJumpsOf(history)
  const violations: Violation[] = []
  const slots = slotKeys.map(({ name, limit }): SlotCounts => {
    const holds = holdsOf(history).filter(({ value }) => {
      const { kind, key } = byOp.get(value)!
      return kind === 'slots' && key === name
    })
    let [maxHolders, excused] = [0, 0]
    for (const crowd of crowdsOf(holds)) {
      const all = crowd.map(({ value }) => byOp.get(value)!)
      if (crowd.length > limit && overlapsJump(jumps, all, run.ttl)) {
        excused++
        continue
      }
      maxHolders = Math.max(maxHolders, crowd.length)
      if (crowd.length <= limit) continue
      const names = all.map(({ op }) => op)
      violations.push({
        check: 'more holders than slots',
        text: `${name} is held by ${names.join(', ')} at ${moment(begin, crowd.at(-1)!.from)}`,
        operations: names,
      })
    }
    return {
      name,
      limit,
      locks: holds.filter(({ from, until }) => from < until).length,
      maxHolders,
      excused,
    }
  })
  return { slots, violations }
}
