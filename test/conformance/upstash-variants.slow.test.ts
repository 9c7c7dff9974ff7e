import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import { retry, servers, upstashWith } from './upstash.ts'

const stored = overRest(servers)
const connected = (options: object) => ({
  servers: stored,
  connect: upstashWith({ retry, ...options }),
})

conformance('Upstash clients, no pipelining', connected({ enableAutoPipelining: false }))
conformance('Upstash clients, no parsing', connected({ automaticDeserialization: false }))
