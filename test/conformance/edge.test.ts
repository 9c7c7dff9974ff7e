import { edge } from './edge.ts'
import { realNodes } from '../support/real-nodes.ts'

edge('Edge on Node', realNodes)
