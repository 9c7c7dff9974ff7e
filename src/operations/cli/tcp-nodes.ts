import { ioredisNode, type IoredisClient } from '../../redis/ioredis-node.ts'
import type { LockNode } from '../../protocol/node.ts'

// `ioredis` is the user's: this package has no dependencies.

type OwnClient = IoredisClient & { disconnect: () => void }
type Constructor = new (url: string, options: object) => OwnClient

const load = async (): Promise<Constructor> => {
  // A name that no bundler and no compiler follows.
  const name = 'ioredis'
  try {
    const { default: Client } = (await import(name)) as { default: Constructor }
    return Client
  } catch {
    throw new Error('redis:// needs the package `ioredis` in your project: npm install ioredis')
  }
}

// Ms between two tries to connect.
const retryDelay = 500

/** Nodes over TCP that were opened for one command. */
export type TcpNodes = { readonly nodes: readonly LockNode[]; readonly close: () => void }

/** Opens a node for each `redis://` or `rediss://` url. */
export const openTcpNodes = async (urls: readonly string[]): Promise<TcpNodes> => {
  const Client = await load()
  const own = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    // For `watch`, which sees a server that comes back.
    retryStrategy: () => retryDelay,
  }
  const clients = urls.map((url) => {
    const client = new Client(url, own)
    // The command reports it.
    client.on('error', () => {})
    return client
  })
  return {
    nodes: clients.map((client) => ioredisNode(client)),
    close: () => {
      for (const client of clients) client.disconnect()
    },
  }
}
