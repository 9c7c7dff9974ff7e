import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { withFault } from '../support/faults.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

conformance('REST nodes on Node', overRest(nodes), (index, fault) => {
  const node = nodes[index]!
  return fault ? withFault(node, fault) : node
})
