import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { ioredisNode, type LockNode, nodeRedisNode } from '../../src/index.ts'

/** A node over a client of its own. */
type TcpNode = {
  readonly node: LockNode
  /** Whether the client is connected. */
  readonly isReady: () => boolean
  readonly close: () => void
}

export type Kind = {
  readonly name: string
  /** Resolves at once, whether or not the server can be reached. */
  readonly connect: (port: number, password?: string) => TcpNode
}

// Nobody listens to the errors of these clients: the node reports them.
export const kinds: readonly Kind[] = [
  {
    name: 'ioredisNode',
    connect: (port, password) => {
      const own = { enableOfflineQueue: false, maxRetriesPerRequest: 0 }
      const auth = password === undefined ? {} : { password }
      const redis = new Redis({ host: '127.0.0.1', port, ...own, ...auth })
      return {
        node: ioredisNode(redis),
        isReady: () => redis.status === 'ready',
        close: () => redis.disconnect(),
      }
    },
  },
  {
    name: 'nodeRedisNode',
    connect: (port, password) => {
      const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}/0`
      const client = createClient({ url })
      const node = nodeRedisNode(client)
      client.connect().catch(() => {})
      return { node, isReady: () => client.isReady, close: () => client.destroy() }
    },
  },
]
