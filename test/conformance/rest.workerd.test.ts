import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'
import { conformance } from './suite.ts'

const { REDLOCK_NODES } = env as { REDLOCK_NODES: string }
const servers = JSON.parse(REDLOCK_NODES) as RestNodeOptions[]

conformance('REST nodes on workerd', servers, (nodes) => [...nodes])
