import { Redis } from '@upstash/redis'
import { afterAll, inject, vi } from 'vitest'
import { type RestNodeOptions, upstashNode } from '../../src/index.ts'
import { withFault } from '../support/faults.ts'
import { overRest } from '../support/nodes.ts'
import { conformance } from './suite/index.ts'
import type { Connect } from './suite/setup.ts'

const servers = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

// The client accepts no custom fetch. So a node with a fault gets a made-up host name, and the stub of
// the global fetch sends requests for it through the fault to the real server.
const faulty = new Map<string, ReturnType<typeof withFault>>()
const real = globalThis.fetch
vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
  const url = new URL(input)
  const node = faulty.get(url.host)
  return node ? node.fetch(node.url + url.pathname, init) : real(input, init)
})
afterAll(() => void vi.unstubAllGlobals())

const connect =
  (options: object): Connect =>
  (index, fault) => {
    const { url, token } = servers[index]!
    const host = `${crypto.randomUUID()}.example`
    if (fault) faulty.set(host, withFault({ url, token }, fault))
    const at = fault ? `http://${host}` : url
    return upstashNode(new Redis({ url: at, token, enableTelemetry: false, ...options }))
  }

const retry = { retries: 2, backoff: () => 1 }
const behind = overRest(servers)

conformance('Upstash clients', behind, connect({ retry }))
conformance(
  'Upstash clients, no pipelining',
  behind,
  connect({ retry, enableAutoPipelining: false }),
)
conformance(
  'Upstash clients, no parsing',
  behind,
  connect({ retry, automaticDeserialization: false }),
)
