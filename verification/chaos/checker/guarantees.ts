import { checkExclusion, checkSlotHolders } from '../../history/exclusion.ts'
import type { Finding } from '../../history/finding.ts'
import { holdsOf, type Precision } from '../../history/holds.ts'
import { checkTokens } from '../../history/tokens.ts'
import { slotKeys } from '../campaign/settings.ts'
import { clockJumpsOf, overlapsJump } from './clock-jumps.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks the guarantees that depend only on the records of clients, as the simulation does. Exclusion depends on
// clocks, but tokens do not.

/** The holders of one key with slots. */
export type SlotCounts = {
  readonly name: string
  readonly limit: number
  /** The number of locks. */
  readonly locks: number
  /** The maximum number of simultaneous holders, without moments at which the limit was exceeded. */
  readonly maxHolders: number
  /** Moments with too many holders that a clock jump explains. */
  readonly excused: number
}

export type Guarantees = {
  /** The number of pairs of holders that a clock jump explains. These are not violations. */
  readonly excused: number
  readonly slots: readonly SlotCounts[]
  readonly violations: readonly Violation[]
}

export const checkGuarantees = (history: History): Guarantees => {
  const { operations, processes, run, begin } = history
  const jumps = clockJumpsOf(history)
  const show = (at: number): string => moment(begin, at)
  const precisionOf = (process: string): Precision => processes.get(process)!
  const isUnexplained = ({ involved }: Finding): boolean => !overlapsJump(jumps, involved, run.ttl)
  const holds = holdsOf(operations, precisionOf)
  const rivals = checkExclusion(holds, show)
  const slots = slotKeys.map(({ name, limit }) => ({
    name,
    limit,
    found: checkSlotHolders(holds, { key: name, limit }, show),
  }))
  const found = [
    ...rivals.filter(isUnexplained),
    ...slots.flatMap(({ found: { findings } }) => findings.filter(isUnexplained)),
    ...checkTokens(operations, show, precisionOf),
  ]
  return {
    excused: rivals.length - rivals.filter(isUnexplained).length,
    slots: slots.map(({ name, limit, found: { locks, most, findings } }) => ({
      name,
      limit,
      locks,
      maxHolders: most,
      excused: findings.length - findings.filter(isUnexplained).length,
    })),
    violations: found.map(({ check, text, involved }) => ({
      check,
      text,
      operations: involved.map(({ op }) => op),
    })),
  }
}
