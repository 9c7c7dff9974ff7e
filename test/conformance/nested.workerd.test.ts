import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { nested } from './nested.ts'

nested('Nested locks on workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
