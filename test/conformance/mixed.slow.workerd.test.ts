import { env } from 'cloudflare:workers'
import { durableObjectNodes, type RedlockNamespace } from '../../src/durable-object/index.ts'
import type { RestNodeOptions } from '../../src/index.ts'
import { objectServer } from '../durable-object/objects.ts'
import { withFault } from '../support/faults.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'

const namespace = env.REDLOCK as RedlockNamespace
const objects = durableObjectNodes(namespace, { name: 'mixed' })
const servers = (JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[]).slice(0, 2)

conformance(
  'three Durable Objects and two Redis servers',
  [...objects.map((node) => objectServer(namespace, node)), ...overRest(servers)],
  (index, fault) => {
    const object = objects[index]
    if (object) return fault ? nodeWithFault(object, fault) : object
    const server = servers[index - objects.length]!
    return fault ? withFault(server, fault) : server
  },
)
