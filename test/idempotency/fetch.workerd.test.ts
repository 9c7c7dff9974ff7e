import { functions } from './fetch.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

functions('workerd', realNodes)
