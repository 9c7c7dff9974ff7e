import { Redis } from '@upstash/redis'
import { afterAll, inject, vi } from 'vitest'
import { type LockNode, type RestNodeOptions, upstashNode } from '../../src/index.ts'
import { conformance } from './suite.ts'

const servers = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

// The client takes no fetch of its own: a node with a fault gets a host name that only the stub
// knows, which sends its requests through the fault to the real server.
const faulty = new Map<string, RestNodeOptions>()
const real = globalThis.fetch
vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
  const url = new URL(input)
  const node = faulty.get(url.host)
  return node ? node.fetch!(node.url + url.pathname, init) : real(input, init)
})
afterAll(() => void vi.unstubAllGlobals())

const connect =
  (options: object) =>
  (nodes: readonly RestNodeOptions[]): LockNode[] =>
    nodes.map((node) => {
      const host = `${crypto.randomUUID()}.example`
      if (node.fetch) faulty.set(host, node)
      const url = node.fetch ? `http://${host}` : node.url
      const redis = new Redis({ url, token: node.token, enableTelemetry: false, ...options })
      return upstashNode(redis)
    })

const retry = { retries: 2, backoff: () => 1 }

conformance('Upstash clients', servers, connect({ retry }))
conformance(
  'Upstash clients without pipelining',
  servers,
  connect({ retry, enableAutoPipelining: false }),
)
conformance(
  'Upstash clients that do not parse',
  servers,
  connect({ retry, automaticDeserialization: false }),
)
