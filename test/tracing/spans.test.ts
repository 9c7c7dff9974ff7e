import { spans } from './spans.ts'
import { realNodes } from '../support/real-nodes.ts'

spans('node', realNodes)
