import { Redis } from 'ioredis'
import type { Cluster } from '../../tools/servers/cluster.ts'
import type { Fault } from './faults.ts'

/** Where one real server is, for clients of either transport. */
export type Address = {
  readonly host: string
  readonly port: number
  /** Of the REST gateway in front of the same server. */
  readonly url: string
  readonly token: string
}

/** Where the servers of a cluster are. @throws where they are not real ones. */
export const addressesOf = ({ nodes }: Cluster): Address[] =>
  nodes.map(({ url, token, redis }) => {
    if (!redis) throw new Error('No redis-server or valkey-server on PATH')
    return { host: '127.0.0.1', port: redis.port, url, token }
  })

/** A server seen through a fault, which a case may exchange at any time; and what was sent. */
export type FaultyNode = Address & {
  fault: Fault | undefined
  sent: number
}

export const faultyNode = (address: Address): FaultyNode => ({
  ...address,
  fault: undefined,
  sent: 0,
})

/** The one place that every command of every contestant passes. */
export const pass = (
  node: FaultyNode,
  words: readonly string[],
  send: () => Promise<unknown>,
): Promise<unknown> => {
  node.sent++
  return node.fault ? node.fault(send, { words }) : send()
}

/** What the real servers hold: looked up by plain connections that no fault stands before. */
export type Servers = {
  readonly addresses: readonly Address[]
  readonly version: string
  /** Ms that the key still lives, by server; -2 where it is absent. */
  readonly ttls: (key: string) => Promise<number[]>
  readonly drop: (key: string, index: number) => Promise<void>
  readonly close: () => void
}

export const lookInto = async (addresses: readonly Address[]): Promise<Servers> => {
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
