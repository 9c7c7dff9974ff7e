import { conformance } from '../conformance/suite/index.ts'
import { memoryServer } from '../support/memory.ts'
import { nodeKind } from '../support/node-kind.ts'
import { mapNode } from './map-node.ts'

// The suite that all nodes of the package pass, over nodes that anybody could have written.

const nodes = ['a', 'b', 'c', 'd', 'e'].map(mapNode)
const servers = nodes.map(({ rows }) => memoryServer({ entries: rows }))

conformance('Map nodes', nodeKind(nodes, servers))
