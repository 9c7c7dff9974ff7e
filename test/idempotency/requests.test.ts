import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { inFunctions } from './adapters.ts'
import { requests } from './requests.ts'

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

requests('Hono on Node', nodes)
requests('fetch on Node', nodes, inFunctions)
