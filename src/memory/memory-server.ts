/** A key of a memory node: its value, and the time in ms when it expires by the node's clock. */
export type MemoryEntry = { readonly value: string; readonly expiresAt: number }

/** The commands that a server can forbid in scripts. */
export type RejectedCommand = 'TIME' | 'INFO'

/** The keys of a server. */
export type MemoryEntries = {
  readonly get: (key: string) => MemoryEntry | undefined
  readonly set: (key: string, entry: MemoryEntry) => unknown
  readonly delete: (key: string) => unknown
}

/** A replication history, as it appears in INFO. */
export type ReplicationHistory = {
  /** `master_replid:ID`. */
  readonly id: string
  /** Whether a promotion started this history, so that INFO also contains the previous history. */
  readonly isPromoted: boolean
}

/** The state of a server that commands use: its keys, its clock in ms, and the ID of its run. */
export type MemoryServer = {
  readonly entries: MemoryEntries
  readonly now: () => number
  readonly run: () => string
  /** The replication history that INFO reports. Default: none. */
  readonly history?: () => ReplicationHistory | undefined
  /** The `redis_version` that INFO reports. Default: `memory`. */
  readonly product?: string
  /** The commands that the server rejects. Default: none. */
  readonly rejects?: readonly RejectedCommand[]
  /** Sends a message to a channel. @returns the number of subscribers. Default: no channel has subscribers. */
  readonly publish?: (channel: string, message: string) => number
}

// The Redis commands that the scripts use, on a `MemoryServer`.

/** The entry of a key, unless it has expired. As in Redis, a key expires only after its last millisecond. */
const find = ({ entries, now }: MemoryServer, key: string): MemoryEntry | undefined => {
  const entry = entries.get(key)
  if (!entry || now() <= entry.expiresAt) return entry
  entries.delete(key)
  return undefined
}

export const get = (server: MemoryServer, key: string): string | undefined =>
  find(server, key)?.value

/** The remaining TTL of a key, in ms; -1 if the key never expires, -2 if it is missing. */
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
