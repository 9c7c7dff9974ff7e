import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
slots('Node', nodes)
throttles('Node', nodes)
