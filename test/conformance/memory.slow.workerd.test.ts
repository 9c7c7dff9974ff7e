import { memoryNodes } from '../../src/testing/index.ts'
import { memoryServer } from '../support/memory.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { conformance } from './suite/index.ts'

const nodes = memoryNodes(5)

conformance('memory nodes on workerd', nodes.map(memoryServer), (index, fault) => {
  const node = nodes[index]!
  return fault ? nodeWithFault(node, fault) : node
})
