import { lambda } from './lambda.ts'
import { realNodes } from '../support/real-nodes.ts'

lambda('Lambda on Node', realNodes)
