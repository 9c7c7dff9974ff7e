import type { Random } from '../../tools/random.ts'
import type { SickNode } from './sick-nodes.ts'

/**
 * The one-way delay in ms between a client and a server, by their numbers, drawn for each message. `Infinity`: the
 * message never arrives.
 */
export type Network = (client: number, server: number, random: Random) => number

/** Each way takes 3 to 10 ms, as with the real servers. */
export const nearby: Network = (_client, _server, random) => random.between(3, 10)

/** The same network with one slow or silent node. Its delay is split over both ways. */
export const withSick =
  (network: Network, { rank, late }: SickNode): Network =>
  (client, server, random) => {
    const way = network(client, server, random)
    if (server !== rank) return way
    return late ? way + random.between(late.min / 2, late.max / 2) : Infinity
  }
