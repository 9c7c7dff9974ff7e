/** A key of a memory node: its value, and when it expires by the node's clock, in ms. */
export type MemoryEntry = { readonly value: string; readonly expiresAt: number }

/** Commands that a server may forbid in scripts. */
export type RejectedCommand = 'TIME' | 'INFO'

/** The keys of a server. */
export type MemoryEntries = {
  readonly get: (key: string) => MemoryEntry | undefined
  readonly set: (key: string, entry: MemoryEntry) => unknown
  readonly delete: (key: string) => unknown
}

/** A replication history, as INFO reports it. */
export type ReplicationHistory = {
  /** `master_replid:ID`. */
  readonly id: string
  /** Whether a promotion began it, so that INFO also names the history before it. */
  readonly isPromoted: boolean
}

/** The state of a server that scripts read: its keys, its clock in ms, and the ID of its run. */
export type MemoryServer = {
  readonly entries: MemoryEntries
  readonly now: () => number
  readonly run: () => string
  /** Default: none is reported. */
  readonly history?: () => ReplicationHistory | undefined
  /** The version that INFO names. Default: `memory`. */
  readonly product?: string
  /** Default: none. */
  readonly rejects?: readonly RejectedCommand[]
  /** Sends a message to a channel. @returns how many subscribers it has. Default: none has any. */
  readonly publish?: (channel: string, message: string) => number
}

// The Redis commands that the script uses, on keys in memory.

/** The entry of a key that has not expired. As in Redis, a key expires only after its last millisecond. */
const find = ({ entries, now }: MemoryServer, key: string): MemoryEntry | undefined => {
  const entry = entries.get(key)
  if (!entry || now() <= entry.expiresAt) return entry
  entries.delete(key)
  return undefined
}

export const get = (server: MemoryServer, key: string): string | undefined =>
  find(server, key)?.value

/** Ms that the key has left; -1 if it never expires, -2 if it is missing. */
export const pttl = (server: MemoryServer, key: string): number => {
  const entry = find(server, key)
  if (!entry) return -2
  return entry.expiresAt === Infinity ? -1 : entry.expiresAt - server.now()
}

export const set = (
  { entries, now }: MemoryServer,
  key: string,
  value: string,
  ttl: number = Infinity,
): void => void entries.set(key, { value, expiresAt: now() + ttl })
