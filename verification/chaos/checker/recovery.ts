import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'
import { type Spell, spellsWith } from './weather.ts'

// After an outage of a majority: how long from the end of it until a lock is had again.

export type Recovery = {
  /** In s since the begin. */
  readonly from: number
  readonly until: number
  /** Locks that were had while it lasted, but for its first half second and its last. */
  readonly locks: number
  /** Ms until the first lock; null where the campaign was over too soon to tell. */
  readonly ms: number | null
}

// Shorter ones are those where one fault began as another ended.
const shortest = 1e9
// What was under way at the begin may still succeed, and in the end nodes come back one by one.
const settling = 500e6
// A retry comes within less than half a second, and a client asks within one.
const limit = 10e9

export const measureRecovery = (
  history: History,
  spells: readonly Spell[],
  nodes: number,
): { recoveries: Recovery[]; violations: Violation[] } => {
  const { begin, end, operations } = history
  const most = (nodes - 1) >> 1
  const violations: Violation[] = []
  const acquired = operations.flatMap(({ acquiredAt }) => acquiredAt ?? []).sort((a, b) => a - b)
  const outages = spellsWith(spells, (affected) => affected > most)
  const recoveries = outages
    .filter(({ from, until }) => until - from >= shortest && until < end)
    .map(({ from, until }): Recovery => {
      const first = acquired.find((at) => at >= until)
      const next = outages.find((one) => one.from > until)?.from ?? end
      if ((first ?? Infinity) - until > limit && next - until > limit) {
        const text = `no lock within ${limit / 1e9} s of the outage that ended at ${moment(begin, until)}`
        violations.push({ check: 'no recovery', text, operations: [] })
      }
      return {
        from: (from - begin) / 1e9,
        until: (until - begin) / 1e9,
        locks: acquired.filter((at) => at > from + settling && at < until - settling).length,
        ms: first === undefined ? null : (first - until) / 1e6,
      }
    })
  return { recoveries, violations }
}
