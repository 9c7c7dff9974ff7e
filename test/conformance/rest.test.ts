import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { realNodes } from '../support/real-nodes.ts'
import { conformance } from './suite/index.ts'

conformance('REST nodes on Node', nodeKind(realNodes, overRest(realNodes)))
