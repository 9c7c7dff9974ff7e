import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { lambda } from './lambda.ts'

lambda('Lambda on workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
