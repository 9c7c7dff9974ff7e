import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { lambda } from './lambda.ts'

lambda('Lambda on Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
