import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { conformance } from './suite.ts'

const { REDLOCK_NODES } = env
const servers = JSON.parse(String(REDLOCK_NODES)) as RestNodeOptions[]

conformance('REST nodes on workerd', servers, (nodes) => [...nodes])
