import { nodeKind } from '../support/node-kind.ts'
import { overRest } from '../support/nodes.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'
import { realNodes } from '../support/real-nodes.ts'

const kind = nodeKind(realNodes, overRest(realNodes))
slots('Node', kind)
throttles('Node', kind)
