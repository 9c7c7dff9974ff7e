import { randomFrom } from '../../tools/random.ts'
import { type Region, roundTripBetween } from '../../verification/simulation/engine/regions.ts'
import { type BurstFigures, figuresOf } from '../shared/burst-figures.ts'
import { type Call, lockOnce, type Run, runBursts, throttleOnce } from '../virtual/bursts.ts'
import type { Network } from '../virtual/network.ts'
import { defaultStrategy, openVirtualClients, type Strategy } from '../virtual/virtual-clients.ts'
import { type Case, figures, type Limits } from './cases.ts'
import { isFarthestFirst, type Order, regionsIn } from './orders.ts'
import { quorumReply } from './quorum-reply.ts'

const calls = { lock: lockOnce, throttle: throttleOnce }

/** The operation that the clients ask for. */
export type Want = keyof typeof calls
export const wants = ['lock', 'throttle'] as const satisfies readonly Want[]

/** The bursts of one case. */
export type Measured = BurstFigures & {
  readonly order: Order
  readonly strategy: Strategy
  readonly want: Want
  readonly group: string
  readonly name: string
  /** The ms after which the client that is nearest to a quorum has its replies. */
  readonly quorumReply: number
  /** The figures that have maxima. */
  readonly figures: Limits
  /** Their maxima; none for a strategy that is not the default. */
  readonly limits?: Limits
  /** The figures that exceed their maximum. */
  readonly missed: readonly string[]
}

export type Options = { readonly bursts: number; readonly seed: number }

/** By how much a message may be faster or slower than usual. */
const jitter = 0.1

/** Clients and servers in these regions; a server is numbered by its rank. */
const networkOf =
  (clients: readonly Region[], servers: readonly Region[]): Network =>
  (client, server, random) =>
    (roundTripBetween(clients[client]!, servers[server]!) / 2) *
    random.between(1 - jitter, 1 + jitter)

/** Runs bursts in one world. Every client has acquired once before, over open connections. */
const runWorld = async (
  seed: number,
  clients: readonly Region[],
  servers: readonly Region[],
  strategy: Strategy,
  bursts: number,
  call: Call,
): Promise<Run> => {
  const world = openVirtualClients(seed, clients.length, strategy, networkOf(clients, servers))
  for (const [index, client] of world.clients.entries()) {
    await world.until(client.using(`warm-up ${index}`, {}, () => {}))
  }
  await world.settle()
  return runBursts(world, bursts, call)
}

/** Runs all bursts of a case: in one world, or each in a world of its own where the order is random. */
const runCase = async (
  clients: readonly Region[],
  order: Order,
  strategy: Strategy,
  call: Call,
  { bursts, seed }: Options,
): Promise<BurstFigures> => {
  const random = randomFrom(seed)
  const [worlds, burstsEach] = order === 'random' ? [bursts, 1] : [1, bursts]
  const runs: Run[] = []
  for (let index = 0; index < worlds; index++) {
    const servers = regionsIn(order, clients, random)
    runs.push(await runWorld(seed + index, clients, servers, strategy, burstsEach, call))
  }
  const requests = runs.reduce((sum, run) => sum + run.requests, 0)
  return figuresOf(
    runs.flatMap((run) => run.bursts),
    requests,
  )
}

/** Measures bursts of one case. */
export const measureCase = async (
  { group, name, clients, limits: usual, farthestFirst }: Case,
  order: Order,
  strategy: Strategy,
  want: Want,
  options: Options,
): Promise<Measured> => {
  const inMs = await runCase(clients, order, strategy, calls[want], options)
  const nearest = Math.min(...clients.map(quorumReply))
  const measured: Limits = {
    winner: (inMs.toWinner ?? Infinity) / nearest,
    answers: (inMs.p90 ?? Infinity) / nearest,
    longest: (inMs.longest ?? Infinity) / nearest,
    requests: inMs.requests,
  }
  const limits =
    usual && strategy === defaultStrategy
      ? { ...usual, ...(isFarthestFirst(order, clients) && farthestFirst) }
      : undefined
  return {
    ...inMs,
    order,
    strategy,
    want,
    group,
    name,
    quorumReply: nearest,
    figures: measured,
    ...(limits && { limits }),
    missed: limits ? figures.filter((figure) => !(measured[figure] <= limits[figure])) : [],
  }
}
