import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { restNodes } from '../support/node-kind.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'

const kind = restNodes(JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
slots('workerd', kind)
throttles('workerd', kind)
