// The types of a recorder's records, except for operations of clients. All times are simulated, in ms.

/** The requests of a process with one lock value. */
export type Asking = {
  readonly process: string
  /** The metadata of its holder. */
  readonly metadata: string
  readonly sentAt: number
  /** The number of its requests to acquire. */
  acquires: number
  /** When the last reply arrived. */
  answeredAt: number | undefined
}

export type Violation = { readonly check: string; readonly text: string }
