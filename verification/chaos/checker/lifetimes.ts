import type { History } from './model.ts'
import { moment, type Violation } from './violation.ts'

// No key of a lock is to live for longer than its ttl: as the servers said, whenever they were asked.

/** How often servers said how long locks live yet, and the longest of that: ms. */
export type Lifetimes = { readonly looks: number; readonly longest: number }

// By how much the clock of a server may be put on, where that is no leap.
const slack = 50

export const checkLifetimes = (
  history: History,
): { lifetimes: Lifetimes; violations: Violation[] } => {
  const { run, begin, faults } = history
  // A clock that steps back makes longer what is left.
  const isStepped = (node: string, at: number): boolean =>
    faults.some(
      ({ fault, from, until }) =>
        fault.kind === 'clock leaps' &&
        fault.nodes.some((index) => run.nodes[index] === node) &&
        from <= at &&
        until + run.ttl * 1e6 >= at,
    )
  const looks = history.lifetimes.filter(({ node, at }) => !isStepped(node, at))
  const violations = looks
    .filter(({ longest }) => longest > run.ttl + slack)
    .map(({ node, at, longest }) => ({
      check: 'a key that outlives its ttl',
      text: `${node} has a lock for ${longest} ms more, at ${moment(begin, at)}`,
      operations: [],
    }))
  const longest = Math.max(0, ...looks.map((look) => look.longest))
  return { lifetimes: { looks: looks.length, longest }, violations }
}
