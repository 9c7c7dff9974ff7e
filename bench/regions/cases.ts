import { type Region, regions } from '../../verification/simulation/engine/regions.ts'

/** The figures of a case that have maxima. */
export const figures = ['winner', 'answers', 'longest', 'requests'] as const

/**
 * The maxima of a group of cases: of the median time to the winner, of the 90th percentile of all answers
 * and of the longest one, in multiples of the quorum-th reply of the nearest client; and of the requests
 * of a burst.
 */
export type Limits = { readonly [figure in (typeof figures)[number]]: number }

/** Clients that want the same at the same moment, by their regions. */
export type Case = {
  readonly group: string
  readonly name: string
  readonly clients: readonly Region[]
  readonly limits?: Limits
  /** The maxima that are larger while the first node is the farthest one. */
  readonly farthestFirst?: Partial<Limits>
}

const ofOneRegion = (group: string, count: number, limits?: Limits): Case[] =>
  regions.map((region) => ({
    group,
    name: `${count} of ${region}`,
    clients: Array<Region>(count).fill(region),
    ...(limits && { limits }),
  }))

const longest = 8

export const cases: readonly Case[] = [
  ...ofOneRegion('one alone', 1),
  ...ofOneRegion('two of one region', 2, { winner: 2, answers: 2.5, longest, requests: 16 }),
  ...ofOneRegion('five of one region', 5, { winner: 2.7, answers: 3, longest, requests: 38 }),
  {
    group: 'one of each region',
    name: 'one of each',
    clients: regions,
    limits: { winner: 3.2, answers: 3.6, longest, requests: 40 },
    farthestFirst: { winner: 3.6, answers: 3.8 },
  },
]
