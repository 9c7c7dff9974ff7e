import { groupBy } from '../../history/group-by.ts'

/** A violation of a guarantee, with the operations that prove it. */
export type Violation = {
  readonly check: string
  readonly text: string
  readonly operations: readonly string[]
}

/** Formats a time, in seconds since the beginning of the campaign. */
export const moment = (begin: number, at: number): string => `${((at - begin) / 1000).toFixed(4)} s`

/** Counts the occurrences of each word, the most frequent first. */
export const tally = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...groupBy(words, (word) => word)]
      .map(([word, all]) => [word, all.length] as const)
      .sort(([, a], [, b]) => b - a),
  )
