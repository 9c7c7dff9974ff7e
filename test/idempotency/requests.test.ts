import { inject } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { requests } from './requests.ts'

requests('Node', JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[])
