import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { functions } from './fetch.ts'

functions('Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
