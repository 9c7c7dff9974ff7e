// One vocabulary for the end of a round, whatever it asked the nodes for. README.md says what callers make of it.

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

/** How a try of a call ends: as an acquire, or because of what was `found` on the nodes in place of a lock. */
export type CallOutcome = AcquireOutcome | 'found'

/** How a round about a lock of this client ends: a quorum confirms it; none can; too few nodes answer to know. */
export type HeldOutcome = 'confirmed' | 'lost' | 'unavailable'

/** How a round that reads ends: it knows enough, or all nodes have answered. */
export type ReadOutcome = 'complete'

/** How a round ends early: by its signal, at its deadline, or because the lock would have expired already. */
export type Interruption = 'aborted' | 'timeout' | 'unavailable'

export type Outcome = CallOutcome | HeldOutcome | ReadOutcome | Interruption
