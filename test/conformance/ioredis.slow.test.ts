import { Redis } from 'ioredis'
import { afterAll, inject } from 'vitest'
import { ioredisNode } from '../../src/index.ts'
import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { realNodes } from '../support/real-nodes.ts'

const clients = inject('REDIS_PORTS').map((port) => {
  const redis = new Redis({ host: '127.0.0.1', port })
  // The way that the documentation recommends for applications that have a client.
  const own = redis.duplicate({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  redis.disconnect()
  return own
})
afterAll(() => clients.forEach((client) => client.disconnect()))

conformance(
  'ioredis clients',
  nodeKind(
    clients.map((client) => ioredisNode(client)),
    overRest(realNodes),
  ),
)
