import type { Limits } from './keep-alive.ts'
import type { SerializedLock } from './serialized-lock.ts'

/**
 * How a release ended: a quorum confirmed it; the lock was ours no longer; or too few nodes
 * answered to know, and what they hold expires by itself.
 */
export type ReleaseResult = 'released' | 'expired' | 'unconfirmed'

/**
 * A lock that is held. `acquire`, `tryAcquire`, `using` and `adopt` hand it out. Its methods are
 * called on it: `() => lock.release()`, not `lock.release` by itself.
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
export type Lock = AsyncDisposable & {
  /** The locked resources: sorted, each once. */
  readonly keys: readonly string[]

  /** What was said of the holder when the lock was acquired; empty if nothing was. */
  readonly metadata: string

  /** The secret that proves ownership: whoever has it can release the lock. Do not log it. */
  readonly value: string

  /** Ms for which the lock is surely held, clock allowance deducted; 0 when it is not. */
  readonly expiresIn: number

  /** Whether the lock is surely held at this moment. */
  readonly held: boolean

  /**
   * Aborts with a `LockLostError` when the lock is lost: at the end of its validity by a local
   * timer, even if every node hangs, or as soon as an `extend` finds it gone. Does not abort on
   * `release`.
   */
  readonly signal: AbortSignal

  /**
   * Makes the lock live at least `ttl` ms from now (default: the ttl it was acquired with). It
   * never shortens it. A node that has lost the key gets it back, unless somebody else has held
   * it there in between.
   *
   * @throws {LockLostError} when the lock is ours no longer.
   * @throws {QuorumError} when too few nodes answered to know; the lock stands until `expiresIn`.
   */
  extend(ttl?: number): Promise<void>

  /**
   * The fencing token of this lock: a safe integer that no other lock on these keys gets, and that
   * is higher than every token handed out before this lock was asked for. Send it along with what
   * you write, and let the store refuse a lower one: so a holder that was paused for too long does
   * no harm. Costs no request where the nodes that granted the lock agree on it, which they do
   * unless others wanted it at the same moment; else a round trip or two. Always the same.
   *
   * @throws {LockLostError} when the lock is ours no longer.
   * @throws {QuorumError} when too few nodes answered to know; the lock stands until `expiresIn`.
   * @see {@link https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html}
   * @example
   * ```ts
   * const token = await lock.fence()
   * await sql`UPDATE reports SET text = ${text}, fence = ${token} WHERE id = 7 AND fence <= ${token}`
   * ```
   */
  fence(): Promise<number>

  /**
   * Asks the nodes how long the lock lives there, in ms: what a quorum of them still has; 0 when
   * it is ours no longer.
   *
   * @throws {QuorumError} when too few nodes answered to know.
   */
  ttl(): Promise<number>

  /**
   * Takes the lock once more, for code that locks what its caller has locked already: it is given
   * back by the last of as many releases.
   *
   * @returns the same lock.
   * @throws {LockLostError} when the lock is ours no longer.
   * @example
   * ```ts
   * await using inner = lock.reenter()
   * ```
   */
  reenter(): Lock

  /**
   * Gives the lock back. Resolves as soon as a quorum has confirmed; never rejects, so that it
   * masks no error of the work it follows. Again: the same result, no request.
   */
  release(): Promise<ReleaseResult>

  /**
   * The lock as plain data for `redlock.adopt()` in another process. It contains the secret: do
   * not log it.
   */
  toJSON(): SerializedLock

  /**
   * Takes the lock once more as another handle: it is kept alive already, and however often this one
   * is released, it counts once. @internal
   */
  nest(): Lock

  /** Whether it holds all these keys in this place. @internal */
  covers(keys: readonly string[], place: string): boolean

  /** Extends the lock from now on, within the limits. @internal */
  keepAlive(limits: Limits): void
}
