import { memoryNodes } from '../../src/testing/index.ts'
import { memoryServer, memoryWithFault } from '../support/memory.ts'
import { conformance } from './suite/index.ts'

const nodes = memoryNodes(5)

conformance(
  'frugal',
  nodes.map(memoryServer),
  (index, fault) => {
    const node = nodes[index]!
    return fault ? memoryWithFault(node, fault) : node
  },
  { strategy: 'frugal' },
)
