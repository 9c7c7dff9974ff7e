import { groupBy, groupByKeys } from './group-by.ts'
import type { Token } from './records.ts'

/** Two tokens of one key that should differ, or that are in the wrong order. */
export type Pair = { readonly key: string; readonly first: Token; readonly second: Token }

/** Uniqueness: the locks on a key that have the same token. */
export const sharedTokens = (tokens: readonly Token[]): Pair[] =>
  [...groupByKeys(tokens)].flatMap(([key, group]) =>
    [...groupBy(group, ({ token }) => `${token}`).values()].flatMap(([first, ...others]) =>
      others
        .filter(({ value }) => value !== first!.value)
        .map((second) => ({ key, first: first!, second })),
    ),
  )

/** Those that are lower than one that was confirmed before they were asked for: with the highest such. */
const fallingAmong = (
  key: string,
  tokens: readonly Token[],
  askedAt: (token: Token) => number,
): Pair[] => {
  const confirmed = tokens.toSorted((a, b) => a.confirmedAt - b.confirmedAt)
  let next = 0
  let highest: Token | undefined
  return tokens
    .toSorted((a, b) => askedAt(a) - askedAt(b))
    .flatMap((second) => {
      while (confirmed[next] && confirmed[next]!.confirmedAt < askedAt(second)) {
        const one = confirmed[next++]!
        if (!highest || one.token > highest.token) highest = one
      }
      return highest && second.token < highest.token ? { key, first: highest, second } : []
    })
}

/**
 * Order: a lock that was requested after another lock's token was confirmed has a higher token, and one lock's
 * token never falls from one call to the next.
 */
export const fallingTokens = (tokens: readonly Token[]): Pair[] => [
  ...[...groupByKeys(tokens)].flatMap(([key, group]) =>
    fallingAmong(key, group, ({ lockRequestedAt }) => lockRequestedAt),
  ),
  ...[...groupBy(tokens, ({ value }) => value).values()].flatMap((group) =>
    fallingAmong(group[0]!.keys.join(), group, ({ requestedAt }) => requestedAt),
  ),
]
