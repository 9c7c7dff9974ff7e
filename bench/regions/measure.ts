import {
  type Region,
  regions,
  roundTripBetween,
} from '../../verification/simulation/engine/regions.ts'
import type { BurstFigures } from '../shared/burst-figures.ts'
import { lockOnce, measureBursts, throttleOnce } from '../virtual/bursts.ts'
import type { Network } from '../virtual/network.ts'
import { openVirtualClients, type Strategy } from '../virtual/virtual-clients.ts'
import type { Case, Limits } from './cases.ts'
import { quorumReply } from './quorum-reply.ts'

const calls = { lock: lockOnce, throttle: throttleOnce }

/** The operation that the clients ask for. */
export type Want = keyof typeof calls
export const wants = ['lock', 'throttle'] as const satisfies readonly Want[]

/** The bursts of one case. */
export type Measured = BurstFigures & {
  readonly strategy: Strategy
  readonly want: Want
  readonly group: string
  readonly name: string
  /** The ms after which the client that is nearest to a quorum has its replies. */
  readonly quorumReply: number
  /** The median time to the winner and the 90th percentile of all answers, over that. */
  readonly winner: number
  readonly answers: number
  readonly limits?: Limits
  /** The figures that exceed their maximum. */
  readonly missed: readonly string[]
}

export type Options = {
  readonly bursts: number
  readonly seed: number
  /** The region of the node with the lowest rank. */
  readonly first: Region
}

/** By how much a message may be faster or slower than usual. */
const jitter = 0.1

/** Clients and servers in these regions; a server is numbered by its rank. */
const networkOf =
  (clients: readonly Region[], servers: readonly Region[]): Network =>
  (client, server, random) =>
    (roundTripBetween(clients[client]!, servers[server]!) / 2) *
    random.between(1 - jitter, 1 + jitter)

/** Measures bursts of one case. Every client has acquired once before, over open connections. */
export const measureCase = async (
  { group, name, clients, limits }: Case,
  strategy: Strategy,
  want: Want,
  { bursts, seed, first }: Options,
): Promise<Measured> => {
  const servers = [first, ...regions.filter((region) => region !== first)]
  const network = networkOf(clients, servers)
  const world = openVirtualClients(seed, clients.length, strategy, network)
  for (const [index, client] of world.clients.entries()) {
    await world.until(client.using(`warm-up ${index}`, {}, () => {}))
  }
  await world.settle()
  const figures = await measureBursts(world, bursts, calls[want])
  const nearest = Math.min(...clients.map(quorumReply))
  const winner = (figures.toWinner ?? Infinity) / nearest
  const answers = (figures.p90 ?? Infinity) / nearest
  const { one, requests } = figures
  const missed = [
    ...(one < bursts ? ['one winner'] : []),
    ...(limits && winner > limits.winner ? ['winner'] : []),
    ...(limits && answers > limits.answers ? ['answers'] : []),
    ...(limits?.requests && requests > limits.requests ? ['requests'] : []),
  ]
  return {
    strategy,
    want,
    group,
    name,
    ...figures,
    quorumReply: nearest,
    winner,
    answers,
    ...(limits && { limits }),
    missed,
  }
}
