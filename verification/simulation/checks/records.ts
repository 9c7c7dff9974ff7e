// The records of a recorder. All times are simulated time, in ms.

/** A release by force. */
export type Forced = {
  readonly keys: readonly string[]
  /** The beginning of the value that it is to forget; undefined for any. */
  readonly id: string | undefined
  readonly calledAt: number
  /** Infinity while it goes on, and if too few servers have answered. */
  endedAt: number
}

/** A call that passed a throttle. */
export type Pass = {
  readonly key: string
  readonly window: number
  /** When its first request was sent. */
  readonly requestedAt: number
  readonly returnedAt: number
}

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
