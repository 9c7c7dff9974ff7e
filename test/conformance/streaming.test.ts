import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { streaming } from './streaming.ts'

streaming('Streaming on Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
