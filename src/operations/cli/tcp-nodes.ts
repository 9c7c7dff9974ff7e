import { ioredisNode, type IoredisClient } from '../../redis/ioredis-node.ts'
import type { LockNode } from '../../protocol/node.ts'

// The user's project provides `ioredis`, since this package has no dependencies.

type OwnClient = IoredisClient & { disconnect: () => void }
type Constructor = new (url: string, options: object) => OwnClient

const load = async (): Promise<Constructor> => {
  // In a variable, so that no bundler or compiler follows the import.
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

/** Opens a node for each `redis://` or `rediss://` URL. */
export const openTcpNodes = async (urls: readonly string[]): Promise<TcpNodes> => {
  const Client = await load()
  const own = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    // Reconnects, so that `watch` shows a server that is up again.
    retryStrategy: () => retryDelay,
  }
  const clients = urls.map((url) => {
    const client = new Client(url, own)
    // The command reports the error.
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
