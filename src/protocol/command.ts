/** The fields of all commands on keys: the keys of one call, and their owner. */
export type AboutKeys = {
  /** The keys that store the owner, one for each resource. All of them are acquired, or none. */
  readonly keys: readonly string[]
  /** The keys of their fences, in the same order. Empty for throttles, which have no fences. */
  readonly fences: readonly string[]
  /** This key exists once the owner has released. */
  readonly tombstone: string
  /** The key of the server's ID. */
  readonly identity: string
  /** The text to store for the owner: its secret value, followed by a space and metadata if there is any. */
  readonly owner: string
  /** The secret value alone. */
  readonly value: string
  /** Ms for which a fence outlives its lock. */
  readonly fenceTtl: number
}

/** The lifetime of a grant, and the minimum of its counter. */
export type Terms = {
  /** The TTL of the keys in ms. A write never shortens a TTL. */
  readonly ttl: number
  /**
   * The minimum of the fence counters after the write. For an acquire, it is the clock of the client, in ms. For an
   * extension, it is the highest counter that the client has seen.
   */
  readonly minCounter: number
}

/** Acquires all keys, or none. Idempotent for its owner. */
export type Acquire = AboutKeys & Terms & { readonly op: 'acquire' }

/**
 * Acquires again the keys that this owner holds. Restores a missing key if its fence shows that no other owner has
 * acquired it since.
 */
export type Extend = AboutKeys & Terms & { readonly op: 'extend' }

/** Reads the holder of the keys. Writes nothing. */
export type Inspect = AboutKeys & { readonly op: 'inspect' }

/** Deletes the keys that this owner holds, and leaves a tombstone, so that a delayed acquire has no effect. */
export type Release = AboutKeys & {
  readonly op: 'release'
  /** The TTL of the tombstone in ms. */
  readonly tombstoneTtl: number
  /** The queue of waiters. The release wakes the first one. */
  readonly wakes?: string | undefined
}

/** Acquires one of several keys. */
export type AcquireSlot = AboutKeys &
  Terms & {
    readonly op: 'acquire-slot'
    /** A number from 1. Without `isOnly`, the search for a free slot begins there, and wraps around. */
    readonly slot: number
    /** Whether only this slot is acceptable. Then any other slot of this owner becomes free. */
    readonly isOnly: boolean
  }

/** Acquires the key, even over a record, and promises to accept no record with a lower token. Phase 1 of Paxos. */
export type Prepare = AboutKeys & Terms & { readonly op: 'prepare' }

/** Replaces the claim with a record, unless a higher token was promised. Phase 2 of Paxos. */
export type Accept = AboutKeys & {
  readonly op: 'accept'
  /** The TTL of the record in ms. */
  readonly ttl: number
  /** The token of the claim. The record, `ID d TOKEN REST`, contains the same one. */
  readonly token: number
  readonly record: string
}

/** Removes one holder. Any client may do this. */
export type Forget = AboutKeys & {
  readonly op: 'forget'
  /** The first eight bytes of the holder's value. */
  readonly holder: string
  /** The TTL of a release's tombstone in ms. */
  readonly tombstoneTtl: number
}

/** Joins the queue of the waiters for a key, or leaves it. */
export type Queue = {
  readonly op: 'join' | 'leave'
  readonly queue: string
  /** The key that the waiter waits for. */
  readonly key: string
  /** The ID of the waiter, which is the last part of its channel's name. */
  readonly waiter: string
  /** When the waiter's call began, in ms. */
  readonly since: number
  /** Ms after which the queue expires unless another waiter joins it. */
  readonly life: number
}

/** Asks a server about itself. */
export type CheckServer = { readonly op: 'check'; readonly identity: string; readonly id: string }

/** A command of the protocol. A node runs it atomically, and running it twice has the same effect as once. */
export type Command =
  | Acquire
  | Extend
  | Inspect
  | Release
  | AcquireSlot
  | Prepare
  | Accept
  | Forget
  | Queue
  | CheckServer

/** A command on the keys of one call. */
export type KeyCommand = Exclude<Command, Queue | CheckServer>

/** Keeps a server from voting if it may have lost writes in a restart. Commands to `volatile` nodes include it. */
export type CommandGuard = {
  /** The key that holds the last known run of the server, and the time when the server votes again. */
  readonly key: string
  /** Ms for which the server abstains. */
  readonly time: number
  /** Whether the server votes even if it reports no run ID. */
  readonly withoutRunId: boolean
}
