import { env } from 'cloudflare:workers'
import type { RestNodeOptions } from '../../src/index.ts'

/** The same inside workerd. */
export const realNodes = JSON.parse(String(env.REDLOCK_NODES)) as readonly RestNodeOptions[]
