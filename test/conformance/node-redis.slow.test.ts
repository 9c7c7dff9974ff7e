import { createClient } from 'redis'
import { afterAll, beforeAll, inject } from 'vitest'
import { nodeRedisNode } from '../../src/index.ts'
import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { realNodes } from '../support/real-nodes.ts'

// Both versions of the protocol.
const clients = inject('REDIS_PORTS').map((port, index) =>
  createClient({ url: `redis://127.0.0.1:${port}`, RESP: index % 2 ? 2 : 3 }),
)
beforeAll(async () => void (await Promise.all(clients.map((client) => client.connect()))))
afterAll(() => clients.forEach((client) => client.destroy()))

conformance(
  'node-redis clients',
  nodeKind(
    clients.map((client) => nodeRedisNode(client)),
    overRest(realNodes),
  ),
)
