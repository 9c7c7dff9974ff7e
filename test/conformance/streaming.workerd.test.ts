import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { streaming } from './streaming.ts'

streaming('Streaming on workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
