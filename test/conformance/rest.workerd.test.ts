import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'
import { conformance } from './suite/index.ts'

conformance('REST nodes on workerd', nodeKind(realNodes, overRest(realNodes)))
