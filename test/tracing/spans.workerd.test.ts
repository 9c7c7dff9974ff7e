import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { spans } from './spans.ts'

spans('workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
