import { type Period, periodsWith } from './affected-nodes.ts'
import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks that clients can acquire locks again after an outage of a majority.

export type Recovery = {
  /** The beginning and the end of the outage, in seconds since the beginning of the campaign. */
  readonly from: number
  readonly until: number
  /** The number of locks acquired during the outage, excluding its first and last half second. */
  readonly locks: number
  /** The time until the first lock, in ms; null if the campaign ended too early. */
  readonly ms: number | null
}

// A shorter period is not a planned outage: one fault began just as another ended.
const minOutage = 1000
// Calls that were pending at the beginning can still succeed, and nodes recover one by one.
const settling = 500
// This is generous: a client retries after less than half a second, and starts an operation every second.
const maxRecovery = 10_000

export const measureRecovery = (
  history: History,
  periods: readonly Period[],
  nodes: number,
): { recoveries: Recovery[]; violations: Violation[] } => {
  const { begin, end, operations } = history
  const minority = (nodes - 1) >> 1
  const violations: Violation[] = []
  const acquired = operations.flatMap(({ acquiredAt }) => acquiredAt ?? []).sort((a, b) => a - b)
  const outages = periodsWith(periods, (affected) => affected > minority)
  const recoveries = outages
    .filter(({ from, until }) => until - from >= minOutage && until < end)
    .map(({ from, until }): Recovery => {
      const first = acquired.find((at) => at >= until)
      const next = outages.find((one) => one.from > until)?.from ?? end
      if ((first ?? Infinity) - until > maxRecovery && next - until > maxRecovery) {
        const text = `no lock within ${maxRecovery / 1000} s of the outage that ended at ${moment(begin, until)}`
        violations.push({ check: 'no recovery', text, operations: [] })
      }
      return {
        from: (from - begin) / 1000,
        until: (until - begin) / 1000,
        locks: acquired.filter((at) => at > from + settling && at < until - settling).length,
        ms: first === undefined ? null : first - until,
      }
    })
  return { recoveries, violations }
}
