import type { Lock } from '../../src/index.ts'

/** A broken promise. */
export type Violation = { readonly check: string; readonly text: string }

type Held = { readonly client: string; readonly lock: Lock; isReleased: boolean }

/**
 * Checks the promises of the guarantees page in each state of a path: one holder at a time, rising tokens, one record.
 */
export class Observer {
  readonly #violations: Violation[]
  readonly #held: Held[]
  readonly #seen: Seen
  readonly #client: string

  constructor(client: string, shared: Shared) {
    this.#client = client
    this.#violations = shared.violations
    this.#held = shared.held
    this.#seen = shared.seen
  }

  /** The client asks for a lock. @returns the highest token that any client knows by now. */
  asks(): number {
    return this.#seen.highestToken
  }

  /** The client has acquired a lock. */
  acquired(lock: Lock): void {
    this.#held.push({ client: this.#client, lock, isReleased: false })
  }

  /** The client releases its lock. */
  releases(lock: Lock): void {
    for (const one of this.#held) if (one.lock === lock) one.isReleased = true
  }

  /** The client knows the token of a lock, which it asked for when `floor` was the highest. */
  knows(token: number, floor: number): void {
    if (token <= floor)
      this.#violations.push({
        check: 'tokens',
        text: `${this.#client} got the token ${token}, but ${floor} was known before it asked`,
      })
    this.#seen.highestToken = Math.max(this.#seen.highestToken, token)
  }

  /** A call got the value of a record. */
  receives(value: string): void {
    const { received } = this.#seen
    if (received.length > 0 && !received.includes(value))
      this.#violations.push({
        check: 'one record',
        text: `${this.#client} got ${value}, and another client had got ${received.join(', ')}`,
      })
    if (!received.includes(value)) received.push(value)
  }

  /** The call has ended with an error. */
  fails(error: unknown): void {
    const name = error instanceof Error ? error.name : String(error)
    if (!expectedErrors.has(name))
      this.#violations.push({ check: 'errors', text: `${this.#client}: ${String(error)}` })
  }
}

const expectedErrors: ReadonlySet<string> = new Set([
  'LockedError',
  'QuorumError',
  'LockLostError',
  'NotRecordedError',
])

type Seen = {
  highestToken: number
  readonly received: string[]
}

/** The state that the observers of all clients share. */
export type Shared = {
  readonly violations: Violation[]
  readonly held: Held[]
  readonly seen: Seen
}

export const newShared = (): Shared => ({
  violations: [],
  held: [],
  seen: { highestToken: 0, received: [] },
})

/** Checks that at most one lock is held. */
export const checkExclusion = ({ held, violations }: Shared): void => {
  const holders = held.filter(({ lock }) => lock.held)
  if (holders.length > 1)
    violations.push({
      check: 'exclusion',
      text: `${holders.map(({ client }) => client).join(' and ')} hold the lock`,
    })
}

/** The part of the state that the checks depend on, as text. */
export const describeShared = ({ held, seen }: Shared): string => {
  const holders = held.filter(({ lock }) => lock.held)
  const ends = holders.map(({ client, lock }) => `${client} ${lock.expiresIn}`).sort()
  return JSON.stringify([ends, seen.highestToken, seen.received.toSorted()])
}
