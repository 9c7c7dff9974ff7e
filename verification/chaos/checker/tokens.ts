import type { Token } from '../../history/records.ts'
import { fallingTokens, type Pair, sharedTokens } from '../../history/tokens.ts'
import type { History } from './model.ts'
import type { Violation } from './violation.ts'

// Fencing tokens: no two locks on a key have the same one; a lock that was requested after another
// had its token has a higher one; and a guard accepts them in rising order only.

const checkBetweenLocks = ({ operations, processes }: History): Violation[] => {
  const tokens = operations.flatMap(({ op, key, process, invokedAt, token, tokenAt }): Token[] => {
    if (token === undefined) return []
    const confirmedAt = tokenAt! + processes.get(process)!.resolution
    const asked = { lockRequestedAt: invokedAt, requestedAt: invokedAt }
    return [{ keys: [key], value: op, token, ...asked, confirmedAt }]
  })
  const violation = (check: string, { key, first, second }: Pair, why: string): Violation => ({
    check,
    text: `${key}: ${second.value} has ${second.token}, ${why}`,
    operations: [first.value, second.value],
  })
  return [
    ...sharedTokens(tokens).map((pair) =>
      violation('one token for two locks', pair, `and so has ${pair.first.value}`),
    ),
    ...fallingTokens(tokens).map((pair) => {
      const { value, token } = pair.first
      return violation('token order', pair, `and was asked for after ${value} had ${token}`)
    }),
  ]
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
  ...checkBetweenLocks(history),
  ...checkGuard(history),
]
