import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'

const nodes = JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[]
slots('workerd', nodes)
throttles('workerd', nodes)
