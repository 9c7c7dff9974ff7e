import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { retry, servers, upstashWith } from './upstash.ts'

conformance('Upstash clients', { servers: overRest(servers), connect: upstashWith({ retry }) })
