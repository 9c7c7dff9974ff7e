import { spans } from './spans.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

spans('workerd', realNodes)
