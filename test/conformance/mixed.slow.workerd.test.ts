import { env } from 'cloudflare:workers'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { objectServer } from '../durable-object/objects.ts'
import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

const namespace = env.REDLOCK as RedlockNamespace
const objects = durableObjectNodes(namespace, { name: 'mixed' })
const servers = realNodes.slice(0, 2)

const stored = [...objects.map((node) => objectServer(namespace, node)), ...overRest(servers)]

conformance(
  'three Durable Objects and two Redis servers',
  nodeKind([...objects, ...servers], stored),
)
