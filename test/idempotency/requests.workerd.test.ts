import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { requests } from './requests.ts'

requests('workerd', JSON.parse(String(env.REDLOCK_NODES)) as RestNodeOptions[])
