/** What all commands about keys have: the keys of one call, and who asks for them. */
export type AboutKeys = {
  /** The keys that hold the owner, one for each resource. All of them are acquired, or none. */
  readonly keys: readonly string[]
  /** The keys of their fences, in the same order. Empty for throttles, which have no fences. */
  readonly fences: readonly string[]
  /** This key exists once the owner has released. */
  readonly tombstone: string
  /** The key of the server's own id. */
  readonly identity: string
  /** The text to store for the owner: its secret value, followed by a space and metadata if there is any. */
  readonly owner: string
  /** The secret value alone. */
  readonly value: string
  /** Ms for which a fence outlives its lock. */
  readonly fenceTtl: number
}

/** For how long a grant lives, and where its counter begins. */
export type Terms = {
  /** Ms that the keys are to live. A write never shortens a TTL. */
  readonly ttl: number
  /**
   * The minimum that the fence counters are raised to. For an acquire it is the clock of the client, in ms. For an
   * extension it is the highest counter that the client has seen.
   */
  readonly minCounter: number
}

/** Acquires all keys, or none. Idempotent for its owner. */
export type Acquire = AboutKeys & Terms & { readonly op: 'acquire' }

/**
 * Acquires the keys again that this owner holds. Restores a missing key if its fence shows that nobody else has
 * acquired it since.
 */
export type Extend = AboutKeys & Terms & { readonly op: 'extend' }

/** Tells who holds the keys. Writes nothing. */
export type Inspect = AboutKeys & { readonly op: 'inspect' }

/** Deletes the keys that this owner holds, and leaves a tombstone: an acquire that arrives later does nothing. */
export type Release = AboutKeys & {
  readonly op: 'release'
  /** Ms that the tombstone is to live. */
  readonly tombstoneTtl: number
  /** The queue of waiters whose first is to be woken. */
  readonly wakes?: string | undefined
}

/** Acquires one of several keys. */
export type AcquireSlot = AboutKeys &
  Terms & {
    readonly op: 'acquire-slot'
    /** A number from 1. Without `isOnly`: the slot to begin with, in a circle. */
    readonly slot: number
    /** Whether only this slot will do. Then any other slot of this owner comes free. */
    readonly isOnly: boolean
  }

/** Promises to accept no record with a lower token: acquires the key, also over a record. Phase 1 of Paxos. */
export type Prepare = AboutKeys & Terms & { readonly op: 'prepare' }

/** Puts a record in place of the claim, unless a higher token was promised. Phase 2 of Paxos. */
export type Accept = AboutKeys & {
  readonly op: 'accept'
  /** Ms that the record is to live. */
  readonly ttl: number
  /** The token of the claim: `ID d TOKEN REST` of the record has the same one. */
  readonly token: number
  readonly record: string
}

/** Forgets one holder, whoever asks for it. */
export type Forget = AboutKeys & {
  readonly op: 'forget'
  /** The first eight bytes of the value of the holder to forget. */
  readonly holder: string
  /** Ms that the tombstone of a release would live. */
  readonly tombstoneTtl: number
}

/** Joins the queue of the waiters for a key, or leaves it. */
export type Queue = {
  readonly op: 'join' | 'leave'
  readonly queue: string
  /** The key that is waited for. */
  readonly key: string
  /** The id of the waiter, which is the end of the name of its channel. */
  readonly waiter: string
  /** When its call began, in ms. */
  readonly since: number
  /** Ms that the queue lives unless somebody joins it. */
  readonly life: number
}

/** Asks a server about itself. */
export type Check = { readonly op: 'check'; readonly identity: string; readonly id: string }

/** A command of the protocol, as one node runs it: atomically, and with the same effect twice as once. */
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
  | Check

/** A command about the keys of one call. */
export type KeyCommand = Exclude<Command, Queue | Check>

/** Keeps a server from voting that may have lost writes in a restart. It comes with the commands to `volatile` nodes. */
export type CommandGuard = {
  /** The key that holds the run of the server that was seen last, and when it votes again. */
  readonly key: string
  /** Ms for which the server abstains. */
  readonly time: number
  /** Whether the server votes although it reports no run id. */
  readonly withoutRunId: boolean
}
