import type { Random } from '../../tools/random.ts'
import { shuffled } from '../../verification/chaos/nemesis/draw.ts'
import {
  type Region,
  regions,
  roundTripBetween,
} from '../../verification/simulation/engine/regions.ts'

// Clients order the nodes by their names, and the first one to answer decides who leads a split vote.
// Users name their nodes without a thought of that, so every order must be good enough.

export const orders = ['nearest first', 'farthest first', 'random'] as const

/** How the nodes are ordered: one of these, or with the node of one region before the others. */
export type Order = (typeof orders)[number] | `${Region} first`

/** The ms after which a client of that region has the replies of a quorum: a lower bound. */
export const quorumReply = (region: Region): number =>
  regions.map((other) => roundTripBetween(region, other)).sort((a, b) => a - b)[
    regions.length >> 1
  ]!

/** The regions from the nearest to the farthest one, as seen by the client that is nearest to a quorum. */
const byDistance = (clients: readonly Region[]): Region[] => {
  const nearest = clients.toSorted((a, b) => quorumReply(a) - quorumReply(b))[0]!
  const distance = (region: Region): number => roundTripBetween(nearest, region)
  return regions.toSorted((a, b) => distance(a) - distance(b))
}

/** The regions of the nodes, from the lowest rank to the highest. A random order differs each time. */
export const regionsIn = (
  order: Order,
  clients: readonly Region[],
  random: Random,
): readonly Region[] => {
  if (order === 'random') return shuffled(regions, random)
  if (order === 'nearest first') return byDistance(clients)
  if (order === 'farthest first') return byDistance(clients).toReversed()
  const isFirst = (region: Region): boolean => order === `${region} first`
  return [...regions.filter(isFirst), ...regions.filter((region) => !isFirst(region))]
}

/** Whether the first node is the one that is farthest from the clients. */
export const isFarthestFirst = (order: Order, clients: readonly Region[]): boolean =>
  order === 'farthest first' || order === `${byDistance(clients).at(-1)!} first`
