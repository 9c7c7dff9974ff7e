import { createClient } from 'redis'
import { afterAll, beforeAll, inject } from 'vitest'
import { nodeRedisNode, type RestNodeOptions } from '../../src/index.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'

const servers = overRest(JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
// Both versions of the protocol.
const clients = inject('REDIS_PORTS').map((port, index) =>
  createClient({ url: `redis://127.0.0.1:${port}`, RESP: index % 2 ? 2 : 3 }),
)
beforeAll(async () => void (await Promise.all(clients.map((client) => client.connect()))))
afterAll(() => clients.forEach((client) => client.destroy()))

conformance('node-redis clients', servers, (index, fault) => {
  const node = nodeRedisNode(clients[index]!)
  return fault ? nodeWithFault(node, fault) : node
})
