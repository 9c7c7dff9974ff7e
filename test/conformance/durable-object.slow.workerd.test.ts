import { env } from 'cloudflare:workers'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { objectServer } from '../durable-object/objects.ts'
import { nodeKind } from '../support/node-kind.ts'
import { conformance } from './suite/index.ts'

const namespace = env.REDLOCK as RedlockNamespace
const nodes = durableObjectNodes(namespace, { count: 5, name: 'conformance' })
const servers = nodes.map((node) => objectServer(namespace, node))

conformance('Durable Objects', nodeKind(nodes, servers))
