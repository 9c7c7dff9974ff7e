import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { adapterTests } from './adapters.ts'

adapterTests('workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
