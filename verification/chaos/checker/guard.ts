import type { History } from './model.ts'
import type { Violation } from './violation.ts'

/** Checks that a guard accepted writes only in the order of their tokens. */
export const checkGuard = ({ stores }: History): Violation[] =>
  stores
    .filter(({ kind }) => kind === 'guarded')
    .flatMap(({ key, entries }) => {
      const violations: Violation[] = []
      for (const [index, { op, token }] of entries.entries()) {
        const before = entries[index - 1]
        if (token !== null && (!before || token > before.token!)) continue
        violations.push({
          check: 'stale write through a guard',
          text: `${key}: ${op} wrote with the token ${token}, after ${before?.op} with ${before?.token}`,
          operations: [op, ...(before ? [before.op] : [])],
        })
      }
      return violations
    })
