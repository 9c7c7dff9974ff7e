// The types of a recorder's records, except for operations of clients. All times are simulated, in ms.

/** The requests that a process sends with one lock value. */
export type Asking = {
  readonly process: string
  /** The metadata that the requests contain. */
  readonly metadata: string
  readonly sentAt: number
  /** How many of the requests acquire the lock. */
  acquires: number
  /** When the last reply arrived. */
  answeredAt: number | undefined
}

export type Violation = { readonly check: string; readonly text: string }
