/** How often a measured value fell into each bucket, by the upper end of the bucket. */
export type Distribution = Map<number, number>

/** By the name of what was measured. */
export type Distributions = Map<string, Distribution>

/** A distribution as plain data, which a worker thread can post to its parent. */
export type PlainDistributions = readonly (readonly [
  name: string,
  buckets: readonly (readonly [upperEnd: number, count: number])[],
])[]

// The width of a bucket. Values are multiples of a round trip.
const width = 0.1

const add = (total: Distributions, name: string, upperEnd: number, count: number): void => {
  const buckets = total.get(name) ?? new Map<number, number>()
  buckets.set(upperEnd, (buckets.get(upperEnd) ?? 0) + count)
  total.set(name, buckets)
}

export const addSamples = (
  total: Distributions,
  samples: ReadonlyMap<string, readonly number[]>,
): void => {
  for (const [name, values] of samples) {
    for (const value of values) add(total, name, Math.ceil(value / width), 1)
  }
}

export const addDistributions = (total: Distributions, more: PlainDistributions): void => {
  for (const [name, buckets] of more) {
    for (const [upperEnd, count] of buckets) add(total, name, upperEnd, count)
  }
}

export const plainDistributions = (total: Distributions): PlainDistributions =>
  [...total].map(([name, buckets]) => [name, [...buckets]])

export type Summary = {
  readonly name: string
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

/** The quantiles of each distribution, by its name in alphabetical order. */
export const summarize = (total: Distributions): Summary[] =>
  [...total]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, buckets]) => {
      const sorted = [...buckets].sort(([a], [b]) => a - b)
      const count = sorted.reduce((sum, [, times]) => sum + times, 0)
      const quantile = (share: number): number => {
        let left = share * count
        const bucket = sorted.find(([, times]) => (left -= times) <= 0) ?? sorted.at(-1)!
        return Number((bucket[0] * width).toFixed(1))
      }
      return {
        name,
        count,
        p50: quantile(0.5),
        p90: quantile(0.9),
        p99: quantile(0.99),
        max: quantile(1),
      }
    })
