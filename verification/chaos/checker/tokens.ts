import type { History } from './model.ts'
import { groupBy, type Violation } from './violation.ts'

// Fencing tokens: no two locks on a key have the same one; a lock that was requested after another
// had its token has a higher one; and a guard accepts them in rising order only.

const checkUnique = ({ operations }: History): Violation[] => {
  const known = operations.filter(({ token }) => token !== undefined)
  const groups = groupBy(known, ({ key, token }) => `${key} ${token}`)
  return [...groups].flatMap(([what, group]) => {
    if (group.length === 1) return []
    const ops = group.map(({ op }) => op)
    const text = `${what} is the token of ${ops.join(' and ')}`
    return [{ check: 'one token for two locks', text, operations: ops }]
  })
}

const checkOrder = ({ operations, processes }: History): Violation[] => {
  const violations: Violation[] = []
  const known = operations.filter(({ token }) => token !== undefined)
  for (const [key, group] of groupBy(known, ({ key }) => key)) {
    const confirmed = group
      .map((operation) => ({
        operation,
        at: operation.tokenAt! + processes.get(operation.process)!.resolution,
      }))
      .sort((a, b) => a.at - b.at)
    let next = 0
    let highest: (typeof group)[0] | undefined
    for (const operation of group.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
      while (confirmed[next] && confirmed[next]!.at < operation.invokedAt) {
        const one = confirmed[next++]!.operation
        if (!highest || one.token! > highest.token!) highest = one
      }
      if (!highest || operation.token! > highest.token!) continue
      violations.push({
        check: 'token order',
        text: `${key}: ${operation.op} has ${operation.token}, and was asked for after ${highest.op} had ${highest.token}`,
        operations: [operation.op, highest.op],
      })
    }
  }
  return violations
}

const checkGuard = ({ stores }: History): Violation[] =>
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

export const checkTokens = (history: History): Violation[] => [
  ...checkUnique(history),
  ...checkOrder(history),
  ...checkGuard(history),
]
