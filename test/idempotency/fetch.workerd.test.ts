import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { functions } from './fetch.ts'

functions('workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
