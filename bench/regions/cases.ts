import { type Region, regions } from '../../verification/simulation/engine/regions.ts'

/** The maxima of a group of cases. Times are multiples of the quorum-th reply of the nearest client. */
export type Limits = {
  /** Of the median time to the winner. */
  readonly winner: number
  /** Of the 90th percentile of all answers. */
  readonly answers: number
  readonly requests?: number
}

/** Clients that want the same at the same moment, by their regions. */
export type Case = {
  readonly group: string
  readonly name: string
  readonly clients: readonly Region[]
  readonly limits?: Limits
}

const ofOneRegion = (group: string, count: number, limits?: Limits): Case[] =>
  regions.map((region) => ({
    group,
    name: `${count} of ${region}`,
    clients: Array<Region>(count).fill(region),
    ...(limits && { limits }),
  }))

const many: Limits = { winner: 3, answers: 5 }

export const cases: readonly Case[] = [
  ...ofOneRegion('one alone', 1),
  ...ofOneRegion('two of one region', 2, { winner: 2, answers: 3, requests: 18 }),
  ...ofOneRegion('five of one region', 5, many),
  { group: 'one of each region', name: 'one of each', clients: regions, limits: many },
]
