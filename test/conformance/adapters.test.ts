import { adapterTests } from './adapters.ts'
import { realNodes } from '../support/real-nodes.ts'

adapterTests('Node', realNodes)
