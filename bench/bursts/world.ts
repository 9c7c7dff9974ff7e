/** The answer to one call; `none` where none came in time. */
export type Answer = {
  readonly state: 'won' | 'refused' | 'none'
  readonly release?: () => Promise<unknown>
}

/** A client that asks for a key. */
export type Ask = (key: string) => Promise<Answer>

/** Clients far from the servers they ask: in virtual time, or before real servers. */
export type World = {
  /** Does what comes before a burst on that key. */
  readonly prepare?: (key: string) => Promise<void>
  /** The clients of the next burst: the same ones, or fresh ones that know nothing of the servers. */
  readonly clients: () => Promise<readonly Ask[]>
  /** In ms. */
  readonly now: () => number
  /** Lets time pass until the work is done. */
  readonly until: <T>(work: Promise<T>) => Promise<T>
  /** Lets the time pass in which requests follow from a burst, where that costs no real time. */
  readonly rest: () => Promise<void>
  /** The requests of these clients since they were opened, once none follows any more. */
  readonly sent: () => Promise<number>
  readonly close: () => Promise<void>
}
