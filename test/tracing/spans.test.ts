import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { spans } from './spans.ts'

spans('node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
