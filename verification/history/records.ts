// What clients did, as the simulation and the campaigns of chaos record it. Times in a unit of the recorder.

/** The period for which a client held a lock. */
export type Hold = {
  readonly process: string
  readonly keys: readonly string[]
  /** The secret of the lock, or another name that it alone has. */
  readonly value: string
  readonly from: number
  /** The end of the validity, as far as it is known yet. */
  until: number
}

/** A fencing token that a client got. */
export type Token = {
  readonly keys: readonly string[]
  readonly value: string
  readonly token: number
  /** When the first request for the lock was sent. */
  readonly lockRequestedAt: number
  /** When the client called for the token. */
  readonly requestedAt: number
  readonly confirmedAt: number
}
