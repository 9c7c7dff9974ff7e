import { quantileSorted } from 'simple-statistics'

/** The samples of each measurement, by name, in multiples of a round trip. */
export type Samples = Map<string, number[]>

export const addSamples = (total: Samples, more: ReadonlyMap<string, readonly number[]>): void => {
  for (const [name, values] of more) {
    const all = total.get(name) ?? []
    for (const value of values) all.push(value)
    total.set(name, all)
  }
}

export type Summary = {
  readonly name: string
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

/** Returns the quantiles of each list of samples, in alphabetical order of names. */
export const summarize = (total: Samples): Summary[] =>
  [...total]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => {
      const sorted = values.toSorted((a, b) => a - b)
      const at = (share: number): number => Number(quantileSorted(sorted, share).toFixed(1))
      return { name, count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
    })
