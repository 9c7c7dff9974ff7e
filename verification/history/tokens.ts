import type { Finding, ShowTime } from './finding.ts'
import { groupBy, groupByKeys } from './group-by.ts'
import { lockOf, type Precision } from './holds.ts'
import type { Operation, Token } from './operation.ts'

/** A token with its lock. */
type Own = Token & {
  readonly operation: Operation
  readonly keys: readonly string[]
  readonly value: string
  /** When the lock was requested. */
  readonly lockRequestedAt: number
}

const tokensOf = (
  operations: Iterable<Operation>,
  precisionOf: (process: string) => Precision,
): Own[] =>
  [...operations].flatMap((operation) =>
    operation.tokens.map((token) => ({
      ...token,
      operation,
      keys: operation.held ?? operation.keys,
      value: lockOf(operation),
      lockRequestedAt: operation.askedAt ?? operation.calledAt,
      confirmedAt: token.confirmedAt + precisionOf(operation.process).resolution,
    })),
  )

type Pair = readonly [first: Own, second: Own]

/** Uniqueness: the locks on a key that have the same token. */
const sharedTokens = (tokens: readonly Own[]): Pair[] =>
  [...groupByKeys(tokens).values()].flatMap((group) =>
    [...groupBy(group, ({ token }) => `${token}`).values()].flatMap(([first, ...others]) =>
      others.filter(({ value }) => value !== first!.value).map((second): Pair => [first!, second]),
    ),
  )

/** Tokens that are lower than one confirmed before their request, each with the highest of those. */
const fallingAmong = (tokens: readonly Own[], askedAt: (token: Own) => number): Pair[] => {
  const confirmed = tokens.toSorted((a, b) => a.confirmedAt - b.confirmedAt)
  let next = 0
  let highest: Own | undefined
  return tokens
    .toSorted((a, b) => askedAt(a) - askedAt(b))
    .flatMap((second): Pair[] => {
      while (confirmed[next] && confirmed[next]!.confirmedAt < askedAt(second)) {
        const one = confirmed[next++]!
        if (!highest || one.token > highest.token) highest = one
      }
      return highest && second.token < highest.token ? [[highest, second]] : []
    })
}

/**
 * Order: if a lock was requested after another lock's token was confirmed, its token is higher. The token of one lock
 * never falls from one call to the next.
 */
const fallingTokens = (tokens: readonly Own[]): Pair[] => [
  ...[...groupByKeys(tokens).values()].flatMap((group) =>
    fallingAmong(group, ({ lockRequestedAt }) => lockRequestedAt),
  ),
  ...[...groupBy(tokens, ({ value }) => value).values()].flatMap((group) =>
    fallingAmong(group, ({ requestedAt }) => requestedAt),
  ),
]

/** No two locks of a key have the same fencing token, and tokens never fall. */
export const checkTokens = (
  operations: Iterable<Operation>,
  show: ShowTime,
  precisionOf: (process: string) => Precision = () => ({ resolution: 0, isComplete: true }),
): Finding[] => {
  const tokens = tokensOf(operations, precisionOf)
  const text = ({ operation, token, requestedAt, confirmedAt }: Own): string =>
    `${token} of ${operation.op} (${show(requestedAt)} to ${show(confirmedAt)})`
  const finding = (check: string, [first, second]: Pair): Finding => ({
    check,
    text: `${first.keys.join()}: ${text(first)}, then ${text(second)}`,
    involved: [first.operation, second.operation],
  })
  return [
    ...sharedTokens(tokens).map((pair) => finding('token uniqueness', pair)),
    ...fallingTokens(tokens).map((pair) => finding('token order', pair)),
  ]
}
