import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { adapterTests } from './adapters.ts'

adapterTests('Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
