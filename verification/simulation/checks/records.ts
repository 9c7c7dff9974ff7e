// The records of a recorder beside what clients did. All times are simulated time, in ms.

/** The requests of a process with one lock value. */
export type Asking = {
  readonly process: string
  /** The metadata of its holder. */
  readonly metadata: string
  readonly sentAt: number
  /** The number of its requests to acquire. */
  acquires: number
  /** When the last answer arrived. */
  answeredAt: number | undefined
}

export type Violation = { readonly check: string; readonly text: string }
