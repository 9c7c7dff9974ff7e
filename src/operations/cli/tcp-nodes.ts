import { ioredisNode, type IoredisClient } from '../../redis/ioredis-node.ts'
import type { LockNode } from '../../protocol/node.ts'

// This package has no dependencies, so the user's project must provide `ioredis`.

type OwnClient = IoredisClient & { disconnect: () => void }
type Constructor = new (url: string, options: object) => OwnClient

const load = async (): Promise<Constructor> => {
  // The name is in a variable, so that bundlers and compilers do not resolve the import.
  const name = 'ioredis'
  try {
    const { default: Client } = (await import(name)) as { default: Constructor }
    return Client
  } catch {
    throw new Error('redis:// needs the package `ioredis` in your project: npm install ioredis')
  }
}

// The delay between two attempts to connect, in ms.
const retryDelay = 500

/** TCP nodes that were opened for one command. */
export type TcpNodes = { readonly nodes: readonly LockNode[]; readonly close: () => void }

/** Opens a node for each `redis://` or `rediss://` URL. */
export const openTcpNodes = async (urls: readonly string[]): Promise<TcpNodes> => {
  const Client = await load()
  const own = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
    // Reconnect, so that `watch` shows when a server is up again.
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
