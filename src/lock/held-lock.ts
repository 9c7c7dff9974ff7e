import type { Client } from '../local/client.ts'
import type { KeepAliveLimits } from '../options/keep-alive-options.ts'
import { locks, ownerKeys } from '../protocol/keys.ts'
import type { Lease } from '../quorum/lease.ts'
import type { Answers, Vote } from '../quorum/tally.ts'
import { LockLostError } from '../reports/errors.ts'
import type { ReleaseResult } from '../reports/results.ts'
import { stopwatch } from '../util/clock.ts'
import { ownMethods } from '../util/own-methods.ts'
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
  released,
  watchExpiry,
} from './lock-state.ts'
import type { Lock } from './lock.ts'
import type { SerializedLock } from './serialized-lock.ts'

// Rounds until a token is confirmed. A node that told another counter each time would else keep the
// client asking for ever.
const maxFenceRounds = 8

/**
 * A handle on a lock. It counts as one release, however often it is released, and is over then, while
 * other handles may still hold the lock. The secret is behind a private field, which nothing prints.
 */
class HeldLock implements Lock {
  readonly keys: readonly string[]
  readonly metadata: string
  readonly #state: LockState
  /** Whether it reentered the lock of another handle, which keeps the lock alive. */
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
    return this.#released ? 0 : expiresIn(this.#state)
  }

  get held(): boolean {
    return !this.#released && isHeld(this.#state)
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
    return extend(this.#open(), ttl)
  }

  async fence(): Promise<number> {
    const state = this.#open()
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
    if (state.hasEnded || this.#released) return 0
    const [vote, elapsed] = await askNodes(state, 'i')
    if (vote === 'unknown') throw quorumErrorOf(state)
    let shortest = Infinity
    for (const answer of state.answers) {
      if (answer?.status === 'granted') shortest = Math.min(shortest, answer.ttl ?? 0)
    }
    return vote === 'yes' ? Math.max(0, shortest - elapsed) : 0
  }

  reenter(): Lock {
    const state = this.#open()
    if (!isHeld(state)) throw markLost(state)
    state.holdCount++
    return new HeldLock(state, true)
  }

  release(): Promise<ReleaseResult> {
    return (this.#released ??= release(this.#state))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  toJSON(): SerializedLock {
    const { keys, value, ttl, metadata, client, namespace } = this.#state.lease
    namespace[3]?.()
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

  state(): LockState {
    return this.#state
  }

  keepAlive(limits: KeepAliveLimits): void {
    if (this.#isNested) return
    const state = this.#state
    // Not of this handle, since the lock must outlive it while others hold the lock.
    state.stopKeepAlive = keepAlive(
      {
        expiresIn: () => expiresIn(state),
        extend: (ttl) => extend(state, ttl),
      },
      state.lease,
      limits,
    )
  }

  /** The state, unless this handle has been released: then the lock is no longer its own. */
  #open(): LockState {
    if (this.#released) throw new LockLostError(this.keys, released)
    return this.#state
  }
}

ownMethods(HeldLock, 'lock')

/**
 * Makes the handle on a lock.
 *
 * @param validity - Reads how many ms of validity are left.
 * @param answers - Those of the last round; none for a lock that was adopted.
 */
export const createLock = (lease: Lease, validity: () => number, answers: Answers): Lock =>
  new HeldLock(
    {
      lease,
      heldFor: stopwatch(lease.client.clock),
      validity,
      answers,
      isUnconfirmed: !answers.length,
      hasEnded: false,
      holdCount: 1,
    },
    false,
  )
