import {
  type Region,
  regions,
  roundTripBetween,
} from '../../verification/simulation/engine/regions.ts'

/** The ms after which a client of that region has the replies of a quorum: a lower bound. */
export const quorumReply = (region: Region): number =>
  regions.map((other) => roundTripBetween(region, other)).sort((a, b) => a - b)[
    regions.length >> 1
  ]!
