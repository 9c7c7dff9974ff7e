/** The answer to one call; `none` if it did not arrive in time. */
export type Answer = {
  readonly state: 'won' | 'refused' | 'none'
  readonly release?: () => Promise<unknown>
}

/** A client that asks for a key. */
export type Ask = (key: string) => Promise<Answer>

/** Clients at a distance from their servers, which are virtual or real. */
export type World = {
  /** Prepares the key for a burst. */
  readonly prepare?: (key: string) => Promise<void>
  /** The clients of the next burst: the same ones, or new ones without information about the servers. */
  readonly clients: () => Promise<readonly Ask[]>
  /** In ms. */
  readonly now: () => number
  /** Lets time pass until the work is done. */
  readonly until: <T>(work: Promise<T>) => Promise<T>
  /** In virtual time, waits until no more requests can follow from a burst. */
  readonly rest: () => Promise<void>
  /** The requests of these clients since they were opened, once no more follow. */
  readonly sent: () => Promise<number>
  readonly close: () => Promise<void>
}
