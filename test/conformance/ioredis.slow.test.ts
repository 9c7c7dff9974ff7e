import { Redis } from 'ioredis'
import { afterAll, inject } from 'vitest'
import { ioredisNode, type RestNodeOptions } from '../../src/index.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'

const servers = overRest(JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
const clients = inject('REDIS_PORTS').map((port) => {
  const redis = new Redis({ host: '127.0.0.1', port })
  // The way that the documentation recommends for applications that have a client.
  const own = redis.duplicate({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })
  redis.disconnect()
  return own
})
afterAll(() => clients.forEach((client) => client.disconnect()))

conformance('ioredis clients', servers, (index, fault) => {
  const node = ioredisNode(clients[index]!)
  return fault ? nodeWithFault(node, fault) : node
})
