/** The fields that all commands on keys share: the keys of one call, and the owner. */
export type AboutKeys = {
  /** The keys that store the owner, one for each resource. Either all of them are acquired, or none. */
  readonly keys: readonly string[]
  /** The keys of the fences, in the same order. Empty for throttles, which have no fences. */
  readonly fences: readonly string[]
  /** The key that marks the lock as released. It exists once the owner has released. */
  readonly tombstone: string
  /** The key of the server's ID. */
  readonly identity: string
  /** The text that is stored for the owner: the secret value, followed by a space and the metadata if there is any. */
  readonly owner: string
  /** The secret value alone. */
  readonly value: string
  /** How long a fence outlives its lock, in ms. */
  readonly fenceTtl: number
}

/** The TTL of a grant, and the minimum of its counter. */
export type Terms = {
  /** The TTL of the keys in ms. A write never shortens a TTL. */
  readonly ttl: number
  /**
   * The minimum of the fence counters after the write. For an acquire, this is the time of the client in ms, or the
   * highest counter granted so far. For an extension, it is the highest counter that the client has seen.
   */
  readonly minCounter: number
}

/** Acquires all keys, or none. Idempotent for the same owner. */
export type Acquire = AboutKeys & Terms & { readonly op: 'acquire' }

/**
 * Extends the keys that this owner holds. Restores a missing key if the fence shows that no other owner has acquired
 * the key since.
 */
export type Extend = AboutKeys & Terms & { readonly op: 'extend' }

/** Reads the holder of the keys. Writes nothing. */
export type Inspect = AboutKeys & { readonly op: 'inspect' }

/** Deletes the keys that this owner holds, and leaves a tombstone, so that a delayed acquire has no effect. */
export type Release = AboutKeys & {
  readonly op: 'release'
  /** The TTL of the tombstone in ms. */
  readonly tombstoneTtl: number
  /** The queue of waiters. The release wakes the first waiter in it. */
  readonly wakes?: string | undefined
}

/** Acquires one of several keys. */
export type AcquireSlot = AboutKeys &
  Terms & {
    readonly op: 'acquire-slot'
    /**
     * The number of the slot, counted from 1. Without `isOnly`, the search for a free slot begins there and wraps
     * around.
     */
    readonly slot: number
    /** Whether only this slot is acceptable. If so, any other slot that this owner holds becomes free. */
    readonly isOnly: boolean
  }

/** Acquires the key, even if it holds a record, and promises to reject records with lower tokens. Phase 1 of Paxos. */
export type Prepare = AboutKeys & Terms & { readonly op: 'prepare' }

/** Replaces the claim with a record, unless a higher token has been promised. Phase 2 of Paxos. */
export type Accept = AboutKeys & {
  readonly op: 'accept'
  /** The TTL of the record in ms. */
  readonly ttl: number
  /** The token of the claim. The record, `ID d TOKEN REST`, contains the same token. */
  readonly token: number
  readonly record: string
}

/** Removes one holder. Any client can do this. */
export type Forget = AboutKeys & {
  readonly op: 'forget'
  /** The first eight bytes of the holder's value. */
  readonly holder: string
  /** The TTL of a tombstone in ms. */
  readonly tombstoneTtl: number
}

/** Joins or leaves the queue of waiters for a key. */
export type Queue = {
  readonly op: 'join' | 'leave'
  readonly queue: string
  /** The key that the waiter waits for. */
  readonly key: string
  /** The ID of the waiter, which is also the last part of its channel name. */
  readonly waiter: string
  /** When the waiter's call began, in ms since 1970. */
  readonly since: number
  /** The time after which the queue expires unless another waiter joins, in ms. */
  readonly life: number
}

/** Asks a server about itself. */
export type CheckServer = { readonly op: 'check'; readonly identity: string; readonly id: string }

/**
 * A command of the protocol. A node runs each command atomically. Running a command twice has the same effect as
 * running it once.
 */
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

/**
 * Keeps a server from voting if it may have lost writes in a restart. Commands to `volatile` nodes include this guard.
 */
export type CommandGuard = {
  /** The key that stores the last known run of the server, and the time when the server votes again. */
  readonly key: string
  /** How long the server abstains, in ms. */
  readonly time: number
  /** Whether the server votes even if it reports no run ID. */
  readonly withoutRunId: boolean
}
