import type { Client } from '../local/client.ts'
import type { KeepAliveLimits } from '../options/keep-alive-options.ts'
import { locks, ownerKeys } from '../protocol/keys.ts'
import type { Lease } from '../quorum/lease.ts'
import type { Answers, Vote } from '../quorum/tally.ts'
import type { ReleaseResult } from '../reports/results.ts'
import { checkTtl } from '../util/validate.ts'
import { keepAlive } from './keep-alive.ts'
import {
  askNodes,
  confirmToken,
  expiresIn,
  extend,
  isHeld,
  type LockState,
  markLost,
  release,
  quorumErrorOf,
  watchExpiry,
} from './lock-state.ts'
import type { Lock } from './lock.ts'
import type { SerializedLock } from './serialized-lock.ts'

// Rounds until a token is confirmed. A node that told another counter each time would else keep the
// client asking for ever.
const maxFenceRounds = 8

/** A handle on a lock. The secret is behind a private field, which nothing prints. */
class HeldLock implements Lock {
  readonly keys: readonly string[]
  readonly metadata: string
  readonly #state: LockState
  /** Whether this handle counts as one release, however often it is released. */
  readonly #isNested: boolean
  #released: Promise<ReleaseResult> | undefined

  constructor(state: LockState, isNested: boolean) {
    this.keys = state.lease.keys
    this.metadata = state.lease.metadata
    this.#state = state
    this.#isNested = isNested
  }

  get value(): string {
    return this.#state.lease.value
  }

  get expiresIn(): number {
    return expiresIn(this.#state)
  }

  get held(): boolean {
    return isHeld(this.#state)
  }

  get signal(): AbortSignal {
    const state = this.#state
    if (!state.controller) {
      state.controller = new AbortController()
      if (!state.releasing) watchExpiry(state)
    }
    return state.controller.signal
  }

  async extend(ttl: number = this.#state.lease.ttl): Promise<void> {
    checkTtl('ttl', ttl, this.#state.lease.client)
    return extend(this.#state, ttl)
  }

  async fence(): Promise<number> {
    const state = this.#state
    for (let rounds = maxFenceRounds, vote: Vote = 'yes'; ;) {
      if (vote === 'no' || !isHeld(state)) throw markLost(state)
      const token = confirmToken(state)
      if (token) return token
      if (vote !== 'yes' || !rounds--) throw quorumErrorOf(state)
      // An extension that lengthens nothing raises all counters to the highest that was reported.
      ;[vote] = await askNodes(state, 'e', Math.ceil(expiresIn(state)))
    }
  }

  async ttl(): Promise<number> {
    const state = this.#state
    if (state.hasEnded) return 0
    const [vote, elapsed] = await askNodes(state, 'i')
    if (vote === 'unknown') throw quorumErrorOf(state)
    let shortest = Infinity
    for (const answer of state.answers) {
      if (answer?.status === 'granted') shortest = Math.min(shortest, answer.ttl ?? 0)
    }
    return vote === 'yes' ? Math.max(0, shortest - elapsed) : 0
  }

  reenter(): Lock {
    if (!isHeld(this.#state)) throw markLost(this.#state)
    this.#state.holdCount++
    // A nested handle counts as one release, so the new hold gets a handle of its own.
    return this.#isNested ? new HeldLock(this.#state, false) : this
  }

  nest(): Lock {
    this.reenter()
    return new HeldLock(this.#state, true)
  }

  release(): Promise<ReleaseResult> {
    return this.#isNested ? (this.#released ??= release(this.#state)) : release(this.#state)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  toJSON(): SerializedLock {
    const { keys, value, ttl, metadata, client } = this.#state.lease
    return { keys, value, ttl, metadata, expiresAt: client.clock.wall() + this.expiresIn }
  }

  covers(keys: readonly string[], client: Client): boolean {
    const { lease } = this.#state
    const names = ownerKeys(client, locks, keys)
    // Two clients may name the keys of one lock by different functions that agree.
    const isHeldAs = (name: string, index: number): boolean =>
      lease.keys[lease.ownerKeys.indexOf(name)] === keys[index]
    return client.keyspace === lease.client.keyspace && this.held && names.every(isHeldAs)
  }

  keepAlive(limits: KeepAliveLimits): void {
    // The handle that this one is nested in keeps the lock alive already.
    if (this.#isNested) return
    this.#state.stopKeepAlive = keepAlive(this, this.#state.lease, limits)
  }
}

/**
 * Makes the handle on a lock.
 *
 * @param validity - Reads how many ms of validity are left.
 * @param answers - Those of the last round; none for a lock that was adopted.
 */
export const createLock = (lease: Lease, validity: () => number, answers: Answers): Lock =>
  new HeldLock(
    { lease, validity, answers, isUnconfirmed: !answers.length, hasEnded: false, holdCount: 1 },
    false,
  )
