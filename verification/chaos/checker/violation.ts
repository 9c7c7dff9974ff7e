/** Something that must not be, in words, with the operations that show it. */
export type Violation = {
  readonly check: string
  readonly text: string
  readonly operations: readonly string[]
}

/** A moment in the history, in s since the campaign began. */
export const moment = (begin: number, at: number): string => `${((at - begin) / 1e9).toFixed(4)} s`

/** The things in groups, by what `key` says of each. */
export const groupBy = <T>(list: Iterable<T>, key: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(key(one))
    if (group) group.push(one)
    else groups.set(key(one), [one])
  }
  return groups
}

/** How often each of the words comes, the most frequent first. */
export const tally = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...groupBy(words, (word) => word)]
      .map(([word, all]) => [word, all.length] as const)
      .sort(([, a], [, b]) => b - a),
  )
