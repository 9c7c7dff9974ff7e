import type { Redis } from 'ioredis'
import { ioredisNode, Redlock, withKeyNames } from '../../../src/index.ts'

// Create each client with { enableOfflineQueue: false, maxRetriesPerRequest: 0 }.
export const runReport = async (clients: Redis[], make: () => Promise<string>) => {
  const nodes = clients.map((client) => ioredisNode(client))
  const redlock = withKeyNames(new Redlock({ nodes }), (key) => `mutex:${key}`)
  return redlock.using('report', { ttl: 5_000, wait: 1_000 }, make)
}
