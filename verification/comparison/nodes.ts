import { Redis } from 'ioredis'
import type { Cluster } from '../../tools/servers/cluster.ts'
import type { Fault } from './faults.ts'

/** The address of one real server, for clients of either transport. */
export type Address = {
  readonly host: string
  readonly port: number
  /** The REST gateway in front of the same server. */
  readonly url: string
  readonly token: string
}

/** The addresses of a cluster. @throws if its servers are embedded. */
export const addressesOf = ({ nodes }: Cluster): Address[] =>
  nodes.map(({ url, token, redis }) => {
    if (!redis) throw new Error('No redis-server or valkey-server on PATH')
    return { host: '127.0.0.1', port: redis.port, url, token }
  })

/** A server behind a fault, which a case may replace at any time. `sent` counts commands. */
export type FaultyNode = Address & {
  fault: Fault | undefined
  sent: number
}

export const faultyNode = (address: Address): FaultyNode => ({
  ...address,
  fault: undefined,
  sent: 0,
})

/** Sends a command through the fault of the node. Every command of every contestant passes here. */
export const sendThrough = (
  node: FaultyNode,
  words: readonly string[],
  send: () => Promise<unknown>,
): Promise<unknown> => {
  node.sent++
  return node.fault ? node.fault({ words }, send) : send()
}

/** Reads the data of the real servers, on connections without faults. */
export type Servers = {
  readonly addresses: readonly Address[]
  readonly version: string
  /** The remaining TTL of the key in ms, by server; -2 if it is absent. */
  readonly ttls: (key: string) => Promise<number[]>
  readonly drop: (key: string, index: number) => Promise<void>
  readonly close: () => void
}

export const inspectServers = async (addresses: readonly Address[]): Promise<Servers> => {
  const clients = addresses.map(({ host, port }) => new Redis({ host, port }))
  const info = await clients[0]!.info('server')
  return {
    addresses,
    version: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown',
    ttls: (key) => Promise.all(clients.map((client) => client.pttl(key))),
    drop: async (key, index) => {
      await clients[index]!.del(key)
    },
    close: () => {
      for (const client of clients) client.disconnect()
    },
  }
}
