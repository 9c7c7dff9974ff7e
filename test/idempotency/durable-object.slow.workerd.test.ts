import { env } from 'cloudflare:workers'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { requests } from './requests.ts'

requests('Durable Objects', durableObjectNodes(env.REDLOCK as RedlockNamespace, { count: 5 }))
