import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { slots } from './slots.ts'

slots('Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
