import { type Claim, startValidity, timeoutOf } from './claim.ts'
import { LockLostError, QuorumError } from './errors.ts'
import { keepAlive } from './keep-alive.ts'
import { type Answers, known, startRound } from './round.ts'
import { checkTtl } from './settings.ts'

/**
 * How a release ended: a quorum confirmed it; the lock was ours no longer; or too few nodes
 * answered to know, and what they hold expires by itself.
 */
export type ReleaseResult = 'released' | 'expired' | 'unconfirmed'

/**
 * A lock that is held. `acquire`, `tryAcquire` and `using` hand it out.
 *
 * @example
 * ```ts
 * const lock = await redlock.acquire('invoice:7', { ttl: 5_000 })
 * try {
 *   await charge({ signal: lock.signal })
 * } finally {
 *   await lock.release()
 * }
 * ```
 */
export class Lock {
  readonly #claim: Claim
  #validity: () => number
  #end: 'lost' | 'released' | undefined
  #controller: AbortController | undefined
  #cancelTimer: (() => void) | undefined
  #release: Promise<ReleaseResult> | undefined
  #stopKeeping: (() => void) | undefined

  /** @internal */
  constructor(claim: Claim, validity: () => number) {
    this.#claim = claim
    this.#validity = validity
  }

  /** The locked resources, as the caller named them. */
  get keys(): readonly string[] {
    return this.#claim.keys
  }

  /** The secret that proves ownership: whoever has it can release the lock. Do not log it. */
  get value(): string {
    return this.#claim.value
  }

  /** Ms for which the lock is surely held, clock allowance deducted; 0 when it is not. */
  get expiresIn(): number {
    return this.#end ? 0 : Math.max(0, this.#validity())
  }

  /** Whether the lock is surely held at this moment. */
  get held(): boolean {
    return this.expiresIn > 0
  }

  /**
   * Aborts with a {@link LockLostError} when the lock is lost: at the end of its validity by a
   * local timer, even if every node hangs, or as soon as an `extend` finds it gone. Does not
   * abort on `release`.
   */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#end !== 'released') this.#watch()
    }
    return this.#controller.signal
  }

  /**
   * Makes the lock live at least `ttl` ms from now (default: the ttl it was acquired with). It
   * never shortens it.
   *
   * @throws {LockLostError} when the lock is ours no longer.
   * @throws {QuorumError} when too few nodes answered to know; the lock stands until `expiresIn`.
   */
  async extend(ttl: number = this.#claim.ttl): Promise<void> {
    const { settings, keys } = this.#claim
    checkTtl('ttl', ttl, settings.driftFactor)
    if (!this.held) throw this.#lose()
    const validity = startValidity(settings, ttl)
    const answers: Answers = []
    const vote = await startRound(this.#claim, 'e', { answers, time: ttl }).vote
    // The old validity must not have ended meanwhile: between the two, another may have held it.
    if (vote === 'no' || !this.held) throw this.#lose()
    if (vote === 'unknown' || validity() <= 0) {
      throw new QuorumError(keys, timeoutOf(this.#claim), known(answers))
    }
    if (validity() > this.#validity()) this.#validity = validity
    if (this.#controller) this.#watch()
  }

  /**
   * Gives the lock back. Resolves as soon as a quorum has confirmed; never rejects, so that it
   * masks no error of the work it follows. Again: the same result, no request.
   */
  release(): Promise<ReleaseResult> {
    this.#release ??= this.#giveBack()
    return this.#release
  }

  /** Releases at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** Extends the lock from now on, until it ends or `maxHold` ms have passed. @internal */
  keepAlive(maxHold: number): void {
    const { settings, ttl } = this.#claim
    this.#stopKeeping = keepAlive(this, ttl, settings.clock, maxHold)
  }

  async #giveBack(): Promise<ReleaseResult> {
    this.#finish('released')
    const { vote, done } = startRound(this.#claim, 'r')
    this.#claim.waitUntil(done)
    return ({ yes: 'released', no: 'expired', unknown: 'unconfirmed' } as const)[await vote]
  }

  #watch(): void {
    this.#cancelTimer?.()
    if (!this.held) {
      this.#lose()
      return
    }
    // Re-armed until nothing is left: timers fire early, and an extend moves the end.
    const { clock } = this.#claim.settings
    this.#cancelTimer = clock.setTimer(() => this.#watch(), Math.ceil(this.expiresIn))
  }

  /** Marks the lock as lost, unless it was released; returns the error to throw. */
  #lose(): LockLostError {
    const error = new LockLostError(this.#claim.keys)
    if (this.#end !== 'released') {
      this.#finish('lost')
      this.#controller?.abort(error)
    }
    return error
  }

  #finish(end: 'lost' | 'released'): void {
    this.#end = end
    this.#cancelTimer?.()
    this.#stopKeeping?.()
  }
}
