import { inFunctions } from './adapters.ts'
import { requests } from './requests.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

requests('Hono on Node', nodes)
requests('fetch on Node', nodes, inFunctions)
