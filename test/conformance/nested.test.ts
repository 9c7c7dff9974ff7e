import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { nested } from './nested.ts'

nested('Nested locks on Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
