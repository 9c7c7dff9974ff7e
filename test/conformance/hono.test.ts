import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { middleware } from './hono.ts'

middleware('Hono on Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
