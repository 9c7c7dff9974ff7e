// Without the library of `AsyncDisposable`, TypeScript would make `Lock` an any in projects that skip the
// check of declarations.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Client } from '../process/client.ts'
import type { KeepAliveLimits } from '../options/call-options.ts'
import type { ReleaseResult } from '../results/results.ts'
import type { LockState } from './lock-state.ts'

/**
 * A lock that is held: the result of `acquire`, `tryAcquire`, `using` and `adopt`. Call its methods on
 * it: `() => lock.release()`, not a detached `lock.release`.
 *
 * @example
 * ```ts
 * const lock = await redlock.acquire('report:7', { ttl: 5_000 })
 * try {
 *   await render({ signal: lock.signal })
 * } finally {
 *   await lock.release()
 * }
 * ```
 */
export interface Lock extends AsyncDisposable {
  /** The locked resources: sorted, each once. */
  readonly keys: readonly string[]

  /** The description of the holder that `acquire` was given; empty if there was none. */
  readonly metadata: string

  /** Identifies this holder in events, errors and reports, where others see it as `holder`. It is no secret. */
  readonly id: string

  /** The secret that proves ownership: whoever has it can release the lock. Do not log it. */
  readonly value: string

  /** Ms for which the lock is certainly held, less the allowance for clock drift; 0 if it is not. */
  readonly expiresIn: number

  /** Whether the lock is certainly held at this moment, and this handle has not been released. */
  readonly held: boolean

  /**
   * Aborts with a `LockLostError` when the lock is lost: at the end of its validity, by a local timer,
   * even if every node hangs; or as soon as an `extend` finds it gone. It does not abort on `release`.
   */
  readonly signal: AbortSignal

  /**
   * Makes the lock live at least `ttl` ms from now, and never shortens its life. A node that has lost
   * the key gets it back, unless another has held it there in between.
   *
   * @param ttl - Ms. Default: the ttl that the lock was acquired with.
   * @throws `LockLostError` when the lock is no longer ours.
   * @throws `QuorumError` when too few nodes answered to know; the lock stands until `expiresIn`.
   */
  extend(ttl?: number): Promise<void>

  /**
   * The fencing token of this lock: a safe integer that no other lock on these keys gets, and that is
   * higher than every token of a lock that was acquired before. Send it along with each write, and let
   * the store refuse a lower one: then a holder that was paused for too long does no harm. It is always
   * the same number. It costs no request where the nodes that granted the lock agree on it, which they
   * do unless others wanted the lock at the same moment; otherwise a round trip or two.
   *
   * @throws `LockLostError` when the lock is no longer ours.
   * @throws `QuorumError` when too few nodes answered to know; the lock stands until `expiresIn`.
   * @see {@link https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html}
   * @example
   * ```ts
   * const token = await lock.fencingToken()
   * await sql`UPDATE reports SET text = ${text}, fence = ${token} WHERE id = 7 AND fence <= ${token}`
   * ```
   */
  fencingToken(): Promise<number>

  /**
   * Acquires the lock once more, for code that locks what its caller has locked already. The lock is
   * released with the last of its handles. It costs no request.
   *
   * @returns a handle of its own on the same lock.
   * @throws `LockLostError` when the lock is no longer ours, or this handle has been released.
   * @example
   * ```ts
   * await using inner = lock.reenter()
   * ```
   */
  reenter(): Lock

  /**
   * Releases this handle, and the lock with its last handle: the others keep it. Resolves as soon as a
   * quorum has confirmed. Never rejects, so that it masks no error of the work before it. A second call
   * has the same result and sends no request.
   */
  release(): Promise<ReleaseResult>

  /** Whether it holds all these keys as this client would hold them. @internal */
  covers(keys: readonly string[], client: Client): boolean

  /** What all handles on the lock share. @internal */
  state(): LockState

  /** Extends the lock from now on, within limits. @internal */
  keepAlive(limits: KeepAliveLimits): void
}
