import type { MemoryEntries, MemoryEntry } from '../memory/memory-server.ts'

/** The methods of a Durable Object's synchronous key-value storage that are used here. */
export type KeyValueStorage = {
  get(key: string): unknown
  put(key: string, value: unknown): void
  delete(key: string): unknown
  list(options: { startAfter?: string; limit: number }): Iterable<[string, unknown]>
}

/**
 * The keys of a node in the storage of its object. Each key is one row, which includes the expiry. Expired keys are
 * left to the sweep, because a deletion costs as much as a write.
 */
export const storedKeys = (kv: KeyValueStorage, now: () => number): MemoryEntries => ({
  get: (key) => {
    const entry = kv.get(key) as MemoryEntry | undefined
    return entry && now() <= entry.expiresAt ? entry : undefined
  },
  set: (key, entry) => kv.put(key, entry),
  delete: (key) => kv.delete(key),
})

/** One page of a sweep. */
type Sweep = {
  /** The last key of the page; undefined if it was the last page. */
  readonly last: string | undefined
  /** Whether the page contains a key that will expire later. */
  readonly isExpiring: boolean
}

/** The number of keys that a sweep checks before it lets other requests run. */
const pageSize = 500

/** Deletes the expired keys of one page. */
export const sweep = (kv: KeyValueStorage, now: number, after: string | undefined): Sweep => {
  const options = after === undefined ? {} : { startAfter: after }
  const page = [...kv.list({ ...options, limit: pageSize })] as [string, MemoryEntry][]
  for (const [key, { expiresAt }] of page) if (expiresAt < now) kv.delete(key)
  return {
    last: page.length < pageSize ? undefined : page.at(-1)![0],
    isExpiring: page.some(([, { expiresAt }]) => expiresAt >= now && expiresAt < Infinity),
  }
}
