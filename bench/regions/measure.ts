import { randomFrom } from '../../tools/random.ts'
import { type Region, roundTripBetween } from '../../verification/simulation/engine/regions.ts'
import { figuresOf } from '../bursts/figures.ts'
import { type Measured, ratiosOf } from '../bursts/measured.ts'
import type { Network } from '../bursts/network.ts'
import { merge, type Run, runBursts } from '../bursts/run.ts'
import { openVirtualWorld } from '../bursts/virtual-world.ts'
import { type Case, limitsOf } from './cases.ts'
import { type Order, quorumReply, regionsIn } from './orders.ts'

/** The operations that the clients ask for. */
export const wants = ['lock', 'throttle'] as const
type Want = (typeof wants)[number]

/** The bursts of one case. */
export type MeasuredRegions = Measured & {
  readonly order: Order
  readonly want: Want
  /** The ms after which the client that is nearest to a quorum has its replies. */
  readonly quorumReply: number
}

/** The share by which a message may be faster or slower than usual. */
const jitter = 0.1

/** Clients and servers in these regions; a server is numbered by its rank. */
const networkOf =
  (clients: readonly Region[], servers: readonly Region[]): Network =>
  (client, server, random) =>
    (roundTripBetween(clients[client]!, servers[server]!) / 2) *
    random.between(1 - jitter, 1 + jitter)

/** Measures the bursts of a case: in one world, or each in a new world if the order is random. */
export const measureCase = async (
  one: Case,
  order: Order,
  contestant: string,
  want: Want,
  { bursts, seed }: { readonly bursts: number; readonly seed: number },
): Promise<MeasuredRegions> => {
  const { group, name, clients } = one
  const size = clients.length
  const random = randomFrom(seed)
  const [worlds, burstsEach] = order === 'random' ? [bursts, 1] : [1, bursts]
  const runs: Run[] = []
  for (let index = 0; index < worlds; index++) {
    const network = networkOf(clients, regionsIn(order, random))
    const options = { contestant, size, call: want, network, isWarm: true }
    const world = await openVirtualWorld({ ...options, seed: seed + index })
    runs.push(...(await runBursts([world], burstsEach)))
  }
  const figures = figuresOf(merge(runs))
  const nearest = Math.min(...clients.map(quorumReply))
  const base = { toWinner: nearest, p90: nearest, longest: nearest, requests: 1 }
  return {
    contestant,
    group,
    size,
    condition: `${want}, ${name}, ${order}`,
    ...figures,
    order,
    want,
    quorumReply: nearest,
    ratios: ratiosOf(figures, base),
    limits: limitsOf(one, contestant),
  }
}
