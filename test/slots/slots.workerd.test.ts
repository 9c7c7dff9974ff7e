import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { slots } from './slots.ts'

slots('workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
