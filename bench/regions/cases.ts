import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { type Region, regions } from '../../verification/simulation/engine/regions.ts'
import { type Measured, ratioNames, type Ratios } from '../bursts/measured.ts'
import { withAir } from '../bursts/targets.ts'

/** Clients that make the same call at the same moment, by their regions. */
export type Case = {
  readonly group: string
  readonly name: string
  readonly clients: readonly Region[]
  /** The maximum times, in multiples of the nearest client's quorum-th reply, and the maximum requests of a burst. */
  readonly limits?: Ratios
}

const ofOneRegion = (group: string, count: number, limits?: Ratios): Case[] =>
  regions.map((region) => ({
    group: `five regions, ${group}`,
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
    group: 'five regions, one of each region',
    name: 'one of each',
    clients: regions,
    limits: { winner: 3.2, answers: 3.6, longest, requests: 38 },
  },
]

/** The maxima of a case, in every order of the nodes. Only the default strategy has them. */
export const limitsOf = ({ limits }: Case, contestant: string): Measured['limits'] =>
  limits && contestant === edgeRedlock.name
    ? Object.fromEntries(ratioNames.map((name) => [name, withAir(limits[name])]))
    : undefined
