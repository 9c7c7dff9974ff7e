import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'

/** The five gateways in front of Redis servers that run during the tests. */
export const realNodes = JSON.parse(inject('REDLOCK_NODES')) as readonly RestNodeOptions[]
