import { memoryNodes } from '../../src/entries/testing.ts'
import { memoryServer } from '../support/memory.ts'
import { nodeKind } from '../support/node-kind.ts'
import { conformance } from './suite/index.ts'

const nodes = memoryNodes(5)

conformance('memory nodes on Node', nodeKind(nodes, nodes.map(memoryServer)))
