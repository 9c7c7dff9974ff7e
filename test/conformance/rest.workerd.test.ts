import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { withFault } from '../support/faults.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'

const { REDLOCK_NODES } = env
const nodes = JSON.parse(String(REDLOCK_NODES)) as RestNodeOptions[]

conformance('REST nodes on workerd', overRest(nodes), (index, fault) => {
  const node = nodes[index]!
  return fault ? withFault(node, fault) : node
})
