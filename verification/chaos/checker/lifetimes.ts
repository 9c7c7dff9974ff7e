import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// The key of a lock must not live longer than its TTL. The servers report remaining lifetimes.

/** How many reports there were, and the longest lifetime among them, in ms. */
export type Lifetimes = { readonly looks: number; readonly longest: number }

// A report may exceed the TTL by this many ms, which is more than a clock is nudged.
const tolerance = 50

export const checkLifetimes = (
  history: History,
): { lifetimes: Lifetimes; violations: Violation[] } => {
  const { run, begin, faults } = history
  // A clock that steps back prolongs the remaining lifetime of all keys.
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
