import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { retry, servers, upstashWith } from './upstash.ts'

const behind = overRest(servers)

conformance(
  'Upstash clients, no pipelining',
  behind,
  upstashWith({ retry, enableAutoPipelining: false }),
)
conformance(
  'Upstash clients, no parsing',
  behind,
  upstashWith({ retry, automaticDeserialization: false }),
)
