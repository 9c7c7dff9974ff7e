import type { Lock } from '../../src/index.ts'
import type { Renaming } from './renaming.ts'

/** A broken promise. */
export type Violation = { readonly check: string; readonly text: string }

type Held = {
  readonly client: string
  readonly lock: Lock
  /** The highest token that any client knew when this lock was acquired. */
  readonly floor: number
  isReleased: boolean
  /** Whether the lock had been released by force when its client began to extend it. */
  wasRemoved: boolean
}

/** All that the clients of a path have observed, and the promises that were broken. */
export class Ledger {
  readonly violations: Violation[] = []
  #held: Held[] = []
  highestToken = 0
  /** The IDs of the holders that somebody began to release by force. */
  readonly forced = new Set<string>()
  /** The IDs of the holders that were released by force after they had acquired the lock. */
  readonly removed = new Set<string>()
  /** The values that calls of `once` got. */
  readonly received = new Set<string>()

  violated(check: string, text: string): void {
    this.violations.push({ check, text })
  }

  add(client: string, lock: Lock): void {
    const floor = this.highestToken
    // A call that was still acquiring can acquire the nodes again.
    this.removed.delete(lock.id)
    this.#held.push({ client, lock, floor, isReleased: false, wasRemoved: false })
  }

  find(lock: Lock): Held {
    return this.#held.find((one) => one.lock === lock)!
  }

  /** Removes the locks of a client that has crashed. */
  forget(client: string): void {
    this.#held = this.#held.filter((one) => one.client !== client)
  }

  /** Whether the owner of this value never released its lock, and so leaves it to its TTL. */
  isKept(value: string): boolean {
    return this.#held.some(({ lock, isReleased }) => lock.value === value && !isReleased)
  }

  /** Checks that each key has at most one holder. A holder that is released by force learns of it only later. */
  checkExclusion(): void {
    const holders = new Map<string, string>()
    for (const { client, lock } of this.#held) {
      if (!lock.held || this.forced.has(lock.id)) continue
      const [name] = lock.keys as [string]
      const other = holders.get(name)
      if (other) this.violated('exclusion', `${other} and ${client} hold the lock`)
      holders.set(name, client)
    }
  }

  /** The part of the state that the checks depend on, as text. */
  describe(rename: Renaming): string {
    const locks = this.#held.map(
      ({ lock, floor, isReleased, wasRemoved }) =>
        `${lock.value} ${floor} ${isReleased} ${wasRemoved} ${lock.expiresIn}`,
    )
    const lists = [locks, this.forced, this.removed, this.received]
    const texts = lists.map((list) => [...list].map(rename).sort())
    return JSON.stringify([this.highestToken, texts])
  }
}

const expectedErrors: ReadonlySet<string> = new Set([
  'LockedError',
  'QuorumError',
  'LockLostError',
  'NotRecordedError',
])

/**
 * Records the observations of one client, and checks the promises of the guarantees page: a lock that is valid, rising
 * tokens, one record.
 */
export class Observer {
  readonly #client: string
  readonly #ledger: Ledger

  constructor(client: string, ledger: Ledger) {
    this.#client = client
    this.#ledger = ledger
  }

  /** The client has acquired a lock. */
  acquired(lock: Lock): void {
    this.#checkValidity(lock)
    this.#ledger.add(this.#client, lock)
  }

  /** The client begins to release a holder by force, which may be unaware of it. */
  forces(id: string): void {
    this.#ledger.forced.add(id)
  }

  /** The forced release has succeeded. */
  forced(id: string): void {
    this.#ledger.removed.add(id)
  }

  /** The client begins to extend a lock. */
  extends(lock: Lock): void {
    this.#ledger.find(lock).wasRemoved = this.#ledger.removed.has(lock.id)
  }

  /** The client has extended a lock. */
  extended(lock: Lock): void {
    this.#checkValidity(lock)
    if (this.#ledger.find(lock).wasRemoved)
      this.#ledger.violated(
        'forced release',
        `${this.#client} extended ${lock.id}, which had been released by force`,
      )
  }

  /** The client releases its lock. */
  releases(lock: Lock): void {
    this.#ledger.find(lock).isReleased = true
  }

  /**
   * The client knows the token of its lock. A lock that was released by force before its client knew that it had
   * acquired it has a lower token than its successor.
   */
  knows(lock: Lock, token: number): void {
    const ledger = this.#ledger
    const { floor } = ledger.find(lock)
    if (token <= floor && !ledger.forced.has(lock.id))
      ledger.violated(
        'tokens',
        `${this.#client} got the token ${token}, but ${floor} was known before it acquired`,
      )
    ledger.highestToken = Math.max(ledger.highestToken, token)
  }

  /** A call got the value of a record. */
  receives(value: string): void {
    const { received } = this.#ledger
    if (received.size > 0 && !received.has(value))
      this.#ledger.violated(
        'one record',
        `${this.#client} got ${value}, and another client had got ${[...received].join(', ')}`,
      )
    received.add(value)
  }

  /** The call has ended with an error. */
  fails(error: unknown): void {
    const name = error instanceof Error ? error.name : String(error)
    if (!expectedErrors.has(name))
      this.#ledger.violated('errors', `${this.#client}: ${String(error)}`)
  }

  #checkValidity({ id, held }: Lock): void {
    if (!held)
      this.#ledger.violated('validity', `${this.#client} got ${id}, which had already expired`)
  }
}
