import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { middleware } from './hono.ts'

middleware('Hono on workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
