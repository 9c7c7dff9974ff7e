import type { MemoryEntry } from '../../src/memory/memory-server.ts'

// The part of `cloudflare:workers` that the examples use: Durable Objects with in-memory storage. The real module exists
// only on workerd, so `tools/docs/hooks.ts` substitutes this one.

const storage = () => {
  const keys = new Map<string, MemoryEntry>()
  return {
    kv: {
      get: (key: string) => keys.get(key),
      put: (key: string, entry: MemoryEntry) => void keys.set(key, entry),
      delete: (key: string) => keys.delete(key),
    },
    transactionSync: <T>(run: () => T): T => run(),
    getAlarm: async () => 0,
  }
}

export class DurableObject {
  protected readonly ctx: object
  constructor(id: string) {
    this.ctx = { id, storage: storage() }
  }
}
