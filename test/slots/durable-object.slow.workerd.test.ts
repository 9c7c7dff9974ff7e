import { env } from 'cloudflare:workers'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { objectServer } from '../durable-object/objects.ts'
import { nodeKind } from '../support/node-kind.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'

const namespace = env.REDLOCK as RedlockNamespace
const nodes = durableObjectNodes(namespace, { count: 5, name: 'slots' })
const servers = nodes.map((node) => objectServer(namespace, node))
const kind = nodeKind(nodes, servers)
slots('Durable Objects', kind)
throttles('Durable Objects', kind)
