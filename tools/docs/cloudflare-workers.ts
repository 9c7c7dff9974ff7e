import type { MemoryEntry } from '../../src/emulator/memory-server.ts'

// What the examples use of `cloudflare:workers`, which exists only on workerd: objects with their storage, in memory.
// `tools/docs/hooks.ts` puts it in its place.

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
