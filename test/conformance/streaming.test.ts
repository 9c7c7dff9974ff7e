import { streaming } from './streaming.ts'
import { realNodes } from '../support/real-nodes.ts'

streaming('Streaming on Node', realNodes)
