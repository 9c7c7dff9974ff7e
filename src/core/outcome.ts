// The outcomes of all rounds, for every operation. README.md lists the results that callers receive.

/** How an acquire ends. */
export type AcquireOutcome =
  /** A quorum of nodes has granted the lock. */
  | 'acquired'
  /** Another client holds a quorum, or the only node that was asked. */
  | 'taken'
  /** The vote was split, and this client has yielded. */
  | 'contended'
  /**
   * The vote was split, and no client may have won: others may have yielded to this client, which has no quorum either.
   */
  | 'stalemate'
  /** Too many nodes failed. */
  | 'unavailable'

/** How a try of a call ends: like an acquire, or with `found` if the nodes have a record instead of a lock. */
export type CallOutcome = AcquireOutcome | 'found'

/** How a round for a held lock ends: a quorum confirmed the lock, no quorum can, or too few nodes answered to tell. */
export type HeldOutcome = 'confirmed' | 'lost' | 'unavailable'

/** How a read-only round ends: with enough answers, or with all of them. */
export type ReadOutcome = 'complete'

/** How a round ends early: its signal aborts, its deadline passes, or the lock would already have expired. */
export type Interruption = 'aborted' | 'timeout' | 'unavailable'

export type Outcome = CallOutcome | HeldOutcome | ReadOutcome | Interruption
