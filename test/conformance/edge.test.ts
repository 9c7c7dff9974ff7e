import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { edge } from './edge.ts'

edge('Edge on Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
