import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { restNodes } from '../support/node-kind.ts'
import { slots } from './slots.ts'
import { throttles } from './throttles.ts'

const kind = restNodes(JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
slots('Node', kind)
throttles('Node', kind)
