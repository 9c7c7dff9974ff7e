import type { Lock } from '../../src/index.ts'
import type { Renaming } from './renaming.ts'

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

  /** The client has acquired a lock. @returns the highest token that any client knows by now. */
  acquired(lock: Lock): number {
    this.#checkValidity(lock)
    this.#held.push({ client: this.#client, lock, isReleased: false })
    return this.#seen.highestToken
  }

  /** The client begins to release a holder by force, which may be unaware of it. */
  forces(id: string): void {
    this.#seen.forced.push(id)
  }

  /** The forced release has succeeded. */
  forced(id: string): void {
    this.#seen.removed.push(id)
  }

  /** Whether the lock has been released by force, so that it can't be extended any more. */
  isRemoved({ id }: Lock): boolean {
    return this.#seen.removed.includes(id)
  }

  /** The client has extended a lock. `wasRemoved`: whether it was released by force before. */
  extended(lock: Lock, wasRemoved: boolean): void {
    this.#checkValidity(lock)
    if (wasRemoved)
      this.#violations.push({
        check: 'forced release',
        text: `${this.#client} extended ${lock.id}, which had been released by force`,
      })
  }

  #checkValidity({ id, held }: Lock): void {
    if (!held)
      this.#violations.push({
        check: 'validity',
        text: `${this.#client} got ${id}, which had already expired`,
      })
  }

  /** The client releases its lock. */
  releases(lock: Lock): void {
    for (const one of this.#held) if (one.lock === lock) one.isReleased = true
  }

  /**
   * The client knows the token of a lock, which it acquired when `floor` was the highest. A lock that was released by
   * force before its client knew that it had acquired it has a lower token than its successor.
   */
  knows({ id }: Lock, token: number, floor: number): void {
    if (token <= floor && !this.#seen.forced.includes(id))
      this.#violations.push({
        check: 'tokens',
        text: `${this.#client} got the token ${token}, but ${floor} was known before it acquired`,
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
  /** The IDs of the holders that somebody began to release by force, and of those that were released. */
  readonly forced: string[]
  readonly removed: string[]
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
  seen: { highestToken: 0, forced: [], removed: [], received: [] },
})

/** The locks that are held. A holder that is released by force learns of it only later. */
const holdersOf = ({ held, seen }: Shared): readonly Held[] =>
  held.filter(({ lock }) => lock.held && !seen.forced.includes(lock.id))

/** Checks that each key has at most one holder. */
export const checkExclusion = (shared: Shared): void => {
  const { violations } = shared
  const holders = new Map<string, string>()
  for (const { client, lock } of holdersOf(shared)) {
    const [name] = lock.keys as [string]
    const other = holders.get(name)
    if (other) violations.push({ check: 'exclusion', text: `${other} and ${client} hold the lock` })
    holders.set(name, client)
  }
}

/** The part of the state that the checks depend on, as text. */
export const describeShared = ({ held, seen }: Shared, rename: Renaming): string => {
  const { highestToken, ...lists } = seen
  const locks = held.map(({ lock, isReleased }) => `${lock.value} ${isReleased} ${lock.expiresIn}`)
  const texts = Object.values(lists).map((list) => list.map(rename).sort())
  return JSON.stringify([locks.map(rename).sort(), highestToken, texts])
}
