import { nested } from './nested.ts'
import { realNodes } from '../support/real-nodes.ts'

nested('Nested locks on Node', realNodes)
