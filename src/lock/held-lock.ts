import { type Claim, isAffordable, validityOf } from '../quorum/lease.ts'
import type { Answers, Vote } from '../quorum/vote.ts'
import { checkTtl } from '../util/validate.ts'
import { keepAlive, type Limits } from './keep-alive.ts'
import {
  ask,
  confirm,
  expiresIn,
  extend,
  type Held,
  isHeld,
  leave,
  lose,
  unknown,
  watch,
} from './lock-state.ts'
import type { Lock, ReleaseResult } from './lock.ts'
import type { SerializedLock } from './serialized-lock.ts'

// A node that tells another counter each time would keep it going for ever.
const fenceRounds = 8

/** A handle on a held lock. What is secret is in a private field, which nothing prints. */
class HeldLock implements Lock {
  readonly keys: readonly string[]
  readonly metadata: string
  readonly #held: Held
  /** Of a handle that counts once however often it is released. */
  readonly #isNested: boolean
  #left: Promise<ReleaseResult> | undefined

  constructor(held: Held, isNested: boolean) {
    this.keys = held.claim.keys
    this.metadata = held.claim.metadata
    this.#held = held
    this.#isNested = isNested
  }

  get value(): string {
    return this.#held.claim.value
  }

  get expiresIn(): number {
    return expiresIn(this.#held)
  }

  get held(): boolean {
    return isHeld(this.#held)
  }

  get signal(): AbortSignal {
    const held = this.#held
    if (!held.controller) {
      held.controller = new AbortController()
      if (!held.releasing) watch(held)
    }
    return held.controller.signal
  }

  async extend(ttl: number = this.#held.claim.ttl): Promise<void> {
    checkTtl('ttl', ttl, this.#held.claim.settings)
    return extend(this.#held, ttl)
  }

  async fence(): Promise<number> {
    const held = this.#held
    for (let rounds = fenceRounds, vote: Vote = 'yes'; ;) {
      if (vote === 'no' || !isHeld(held)) throw lose(held)
      const confirmed = confirm(held)
      if (confirmed) return confirmed
      if (vote !== 'yes' || !rounds--) throw unknown(held)
      // An extend that lengthens nothing: it raises all counters to the highest that was told.
      ;[vote] = await ask(held, 'e', Math.ceil(expiresIn(held)))
    }
  }

  async ttl(): Promise<number> {
    const held = this.#held
    if (held.isOver) return 0
    const [vote, elapsed] = await ask(held, 'i')
    if (vote === 'unknown') throw unknown(held)
    let least = Infinity
    for (const answer of held.answers) {
      if (answer?.status === 'granted') least = Math.min(least, answer.ttl ?? 0)
    }
    return vote === 'yes' ? Math.max(0, least - elapsed) : 0
  }

  reenter(): Lock {
    if (!isHeld(this.#held)) throw lose(this.#held)
    this.#held.entries++
    // A nested one counts once: what is taken again here is another entry.
    return this.#isNested ? new HeldLock(this.#held, false) : this
  }

  nest(): Lock {
    this.reenter()
    return new HeldLock(this.#held, true)
  }

  release(): Promise<ReleaseResult> {
    return this.#isNested ? (this.#left ??= leave(this.#held)) : leave(this.#held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  toJSON(): SerializedLock {
    const { keys, value, ttl, metadata, settings } = this.#held.claim
    return { keys, value, ttl, metadata, expiresAt: settings.clock.wall() + this.expiresIn }
  }

  covers(keys: readonly string[], place: string): boolean {
    const { claim } = this.#held
    return (
      place === claim.settings.place && this.held && keys.every((key) => claim.keys.includes(key))
    )
  }

  keepAlive(limits: Limits): void {
    const held = this.#held
    const { claim } = held
    // A nested one is kept alive already.
    if (this.#isNested) return
    const { settings, ttl } = claim
    const isWorth = (): boolean => isAffordable(claim)
    const validity = validityOf(settings, ttl, () => 0)()
    held.stopKeeping = keepAlive(this, ttl, validity, settings.clock, limits, isWorth)
  }
}

/**
 * The lock on what a claim has won. `validity` reads how many ms of it are left, `answers` is what
 * the nodes said last.
 */
export const hold = (claim: Claim, validity: () => number, answers: Answers): Lock =>
  new HeldLock(
    {
      claim,
      validity,
      answers,
      isGuess: !answers.length,
      isOver: false,
      entries: 1,
      token: undefined,
      controller: undefined,
      releasing: undefined,
      stopTimer: undefined,
      stopKeeping: undefined,
    },
    false,
  )
