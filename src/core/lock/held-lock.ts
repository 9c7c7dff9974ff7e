import type { Client } from '../process/client.ts'
import type { KeepAliveLimits } from '../options/call-options.ts'
import { locks, ownerKeys } from '../../protocol/keys.ts'
import { LockLostError } from '../results/errors.ts'
import type { ReleaseResult } from '../results/results.ts'
import { checkTtl, warnOfSeconds } from '../../util/validate.ts'
import type { FinishedRound } from '../drive.ts'
import { validityOf } from '../attempt.ts'
import type { Outcome } from '../outcome.ts'
import { keepAlive } from './keep-alive.ts'
import {
  confirmToken,
  expiresIn,
  extend,
  extendNodes,
  isHeld,
  learnFrom,
  type LockState,
  markLost,
  release,
  quorumErrorOf,
  released,
  watchExpiry,
} from './lock-state.ts'
import type { Lock } from './lock.ts'

// The maximum number of rounds to confirm a token. Without this limit, a faulty node that reports a new counter each
// time would cause an endless loop.
const maxFenceRounds = 8

/**
 * A handle on a lock. Releasing the handle more than once counts as one release. Afterwards, this handle is no longer
 * held, but other handles may still hold the lock. The secret is in a private field, so it is never printed.
 */
class HeldLock implements Lock {
  readonly keys: readonly string[]
  readonly metadata: string
  readonly #state: LockState
  #released: Promise<ReleaseResult> | undefined

  constructor(state: LockState) {
    this.keys = state.lease.subject.keys
    this.metadata = state.lease.subject.metadata
    this.#state = state
  }

  get id(): string {
    return this.#state.lease.id
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
      if (state.lost) state.controller.abort(state.lost)
      else if (!state.releasing) watchExpiry(state)
    }
    return state.controller.signal
  }

  async extend(ttl: number = this.#state.lease.ttl): Promise<void> {
    const { client } = this.#state.lease.subject
    checkTtl('ttl', ttl, client)
    warnOfSeconds(client, { ttl })
    return extend(this.#open(), ttl)
  }

  async fencingToken(): Promise<number> {
    const state = this.#open()
    let outcome: Outcome = 'confirmed'
    let rounds = 0
    for (;;) {
      if (outcome === 'lost' || !isHeld(state)) throw markLost(state)
      const token = confirmToken(state)
      if (token) return token
      if (outcome !== 'confirmed' || rounds++ === maxFenceRounds) throw quorumErrorOf(state)
      // An extension by the remaining time prolongs nothing, but raises all counters to the highest one that was
      // reported.
      outcome = (await extendNodes(state, Math.ceil(expiresIn(state)))).outcome
    }
  }

  reenter(): Lock {
    const state = this.#open()
    if (!isHeld(state)) throw markLost(state)
    state.holdCount++
    return new HeldLock(state)
  }

  release(): Promise<ReleaseResult> {
    return (this.#released ??= release(this.#state))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  covers(keys: readonly string[], client: Client): boolean {
    const { subject } = this.#state.lease
    const names = ownerKeys(client, locks, keys)
    // With `withKeyNames`, clients can map different keys to the same Redis key, yet each key has its own tokens. So
    // the keys must match, too.
    const isHeldAs = (name: string, index: number): boolean =>
      subject.keys[subject.ownerKeys.indexOf(name)] === keys[index]
    return client.keyspace === subject.client.keyspace && this.held && names.every(isHeldAs)
  }

  state(): LockState {
    return this.#state
  }

  keepAlive(limits: KeepAliveLimits): void {
    // The extensions belong to the lock, not to this handle, because other handles may hold the lock for longer.
    this.#state.stopKeepAlive ??= keepAlive(this.#state, limits)
  }

  /** The state of the lock. @throws `LockLostError` if this handle has been released. */
  #open(): LockState {
    if (this.#released) throw new LockLostError(this.keys, this.id, released)
    return this.#state
  }
}

/** Creates a handle on a lock that was acquired here, or in another process. */
export const createLock = (
  round: Pick<FinishedRound, 'attempt' | 'elapsed' | 'answers' | 'listener'>,
): Lock => {
  const { attempt: lease, elapsed } = round
  const { client, fenceKeys } = lease.subject
  const state: LockState = {
    lease,
    heldSince: client.clock.monotonic(),
    validity: validityOf(client, lease.ttl),
    elapsed,
    answers: [],
    hasEnded: false,
    holdCount: 1,
  }
  learnFrom(state, round)
  // A timer emits `lost` as soon as the lock expires. A pass through a throttle, which has no fence, needs no timer,
  // because it is meant to expire.
  if (client.emit && fenceKeys.length) watchExpiry(state)
  return new HeldLock(state)
}
