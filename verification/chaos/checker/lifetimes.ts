import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// Checks that the key of a lock does not live longer than its TTL, using the remaining lifetimes that servers report.

/** The number of reports, and the longest lifetime among them, in ms. */
export type Lifetimes = { readonly looks: number; readonly longest: number }

// A report can exceed the TTL by up to this many ms, which is more than a clock nudge.
const tolerance = 50

export const checkLifetimes = (
  history: History,
): { lifetimes: Lifetimes; violations: Violation[] } => {
  const { run, begin, faults } = history
  // If a clock steps back, the remaining lifetimes of all keys increase.
  const isStepped = (node: string, at: number): boolean =>
    faults.some(
      ({ fault, from, until }) =>
        fault.kind === 'clock jumps' &&
        fault.nodes.some((index) => run.nodes[index] === node) &&
        from <= at &&
        until + run.ttl >= at,
    )
  const reports = history.lifetimes.filter(({ node, at }) => !isStepped(node, at))
  const violations = reports
    .filter(({ longest }) => longest > run.ttl + tolerance)
    .map(({ node, at, longest }) => ({
      check: 'a key that outlives its ttl',
      text: `${node} has a lock for ${longest} ms more, at ${moment(begin, at)}`,
      operations: [],
    }))
  const longest = Math.max(0, ...reports.map((report) => report.longest))
  return { lifetimes: { looks: reports.length, longest }, violations }
}
