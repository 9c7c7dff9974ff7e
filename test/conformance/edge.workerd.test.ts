import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { edge } from './edge.ts'

edge('Edge on workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
