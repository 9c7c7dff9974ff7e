import { Redis } from '@upstash/redis'
import { afterAll, vi } from 'vitest'
import { upstashNode } from '../../src/index.ts'
import { withFault } from '../support/faults.ts'
import type { Connect } from './suite/setup.ts'
import { realNodes } from '../support/real-nodes.ts'

export const servers = realNodes

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

/** Nodes over @upstash/redis with these options. */
export const upstashWith =
  (options: object): Connect =>
  (index, fault) => {
    const { url, token } = servers[index]!
    const host = `${crypto.randomUUID()}.example`
    if (fault) faulty.set(host, withFault({ url, token }, fault))
    const at = fault ? `http://${host}` : url
    return upstashNode(new Redis({ url: at, token, enableTelemetry: false, ...options }))
  }

export const retry = { retries: 2, backoff: () => 1 }
