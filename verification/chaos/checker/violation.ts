/** A violation of a guarantee, with the operations that prove it. */
export type Violation = {
  readonly check: string
  readonly text: string
  readonly operations: readonly string[]
}

/** A time as text, in s since the beginning of the campaign. */
export const moment = (begin: number, at: number): string => `${((at - begin) / 1e9).toFixed(4)} s`

/** Groups elements by a key. */
export const groupBy = <T>(list: Iterable<T>, key: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(key(one))
    if (group) group.push(one)
    else groups.set(key(one), [one])
  }
  return groups
}

/** Counts how often each word occurs, the most frequent first. */
export const tally = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...groupBy(words, (word) => word)]
      .map(([word, all]) => [word, all.length] as const)
      .sort(([, a], [, b]) => b - a),
  )
