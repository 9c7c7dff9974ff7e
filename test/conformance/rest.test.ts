import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { conformance } from './suite.ts'

const servers = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

conformance('REST nodes on Node', servers, (nodes) => [...nodes])
