import type { Random } from '../../tools/random.ts'
import { shuffled } from '../../verification/chaos/nemesis/draw.ts'
import {
  type Region,
  regions,
  roundTripBetween,
} from '../../verification/simulation/engine/regions.ts'

// Clients order the nodes by their names, and the first node to answer decides who leads a split vote. Users name
// their nodes without regard to this, so every order must be good enough.

/** How the nodes are ordered: with the node of one region before the others, or at random. */
export type Order = `${Region} first` | 'random'

export const orders: readonly Order[] = [
  ...regions.map((region): Order => `${region} first`),
  'random',
]

/** The ms after which a client of that region has the replies of a quorum: a lower bound. */
export const quorumReply = (region: Region): number =>
  regions.map((other) => roundTripBetween(region, other)).sort((a, b) => a - b)[
    regions.length >> 1
  ]!

/** The regions of the nodes, from the lowest rank to the highest. A random order differs each time. */
export const regionsIn = (order: Order, random: Random): readonly Region[] => {
  if (order === 'random') return shuffled(regions, random)
  const isFirst = (region: Region): boolean => order === `${region} first`
  return [...regions.filter(isFirst), ...regions.filter((region) => !isFirst(region))]
}
