// One vocabulary for the ends of all rounds, whatever their operation. README.md lists the results that callers get.

/** How an acquire ends. */
export type AcquireOutcome =
  /** A quorum of nodes has granted the lock. */
  | 'acquired'
  /** Another client has a quorum, or the only node that was asked. */
  | 'taken'
  /** The vote was split, and this client has yielded. */
  | 'contended'
  /** The vote was split, and others may have yielded to this client. It has no quorum, either. */
  | 'stalemate'
  /** Too many nodes have failed. */
  | 'unavailable'

/** How a try of a call ends: as an acquire does, or because a record was `found` on the nodes instead of a lock. */
export type CallOutcome = AcquireOutcome | 'found'

/** How a round for a lock of this client ends: a quorum confirms it, none can, or too few nodes answered to tell. */
export type HeldOutcome = 'confirmed' | 'lost' | 'unavailable'

/** How a round that only reads ends: it has enough answers, or all of them. */
export type ReadOutcome = 'complete'

/** How a round ends early: by its signal, at its deadline, or because the lock would have expired already. */
export type Interruption = 'aborted' | 'timeout' | 'unavailable'

export type Outcome = CallOutcome | HeldOutcome | ReadOutcome | Interruption
