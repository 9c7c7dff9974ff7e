import { functions } from './fetch.ts'
import { realNodes } from '../support/real-nodes.ts'

functions('Node', realNodes)
