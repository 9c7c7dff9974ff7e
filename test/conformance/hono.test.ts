import { middleware } from './hono.ts'
import { realNodes } from '../support/real-nodes.ts'

middleware('Hono on Node', realNodes)
