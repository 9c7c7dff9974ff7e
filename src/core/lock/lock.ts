// Without the library of `AsyncDisposable`, TypeScript would turn `Lock` into `any` in projects with `skipLibCheck`.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Client } from '../process/client.ts'
import type { KeepAliveLimits } from '../options/call-options.ts'
import type { ReleaseResult } from '../results/results.ts'
import type { LockState } from './lock-state.ts'

/**
 * A held lock: the result of `acquire`, `tryAcquire`, `using` and `adopt`. Call its methods on the lock:
 * `() => lock.release()`, not a detached `lock.release`.
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
  /** The locked resources: sorted, without duplicates. */
  readonly keys: readonly string[]

  /** The description of the holder that was passed to `acquire`; empty if there was none. */
  readonly metadata: string

  /**
   * Identifies this holder in events, errors and reports, in which other clients see it as `holder`. It is not a
   * secret.
   */
  readonly id: string

  /** The secret that proves ownership: any client that has it can release the lock. Do not log it. */
  readonly value: string

  /** Ms for which the lock is certainly held, less the allowance for clock drift; 0 if it is not. */
  readonly expiresIn: number

  /** Whether the lock is certainly held at this moment, and this handle has not been released. */
  readonly held: boolean

  /**
   * Aborts with a `LockLostError` when the lock is lost. A local timer aborts it at the end of the validity, even if
   * every node hangs. It aborts earlier if an `extend` finds that the lock is gone. It does not abort on `release`.
   */
  readonly signal: AbortSignal

  /**
   * Makes the lock live at least `ttl` ms from now, and never shortens its life. A node that has lost the key gets it
   * back, unless another client has held it there in between.
   *
   * @param ttl - Ms. Default: the TTL with which the lock was acquired.
   * @throws `LockLostError` when the lock is no longer held.
   * @throws `QuorumError` when too few nodes answered; the lock lasts until `expiresIn` is 0.
   */
  extend(ttl?: number): Promise<void>

  /**
   * The fencing token of this lock: a safe integer that no other lock on these keys gets. It is higher than the token
   * of every lock that was acquired before, and always the same. Send it along with each write, and let the store
   * reject a lower one. Then a holder that was paused for too long does no harm.
   *
   * It costs no request if the nodes that granted the lock agree on it. They do unless other clients wanted the lock at
   * the same moment; then it costs a round trip or two.
   *
   * @throws `LockLostError` when the lock is no longer held.
   * @throws `QuorumError` when too few nodes answered; the lock lasts until `expiresIn` is 0.
   * @see {@link https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html}
   * @example
   * ```ts
   * const token = await lock.fencingToken()
   * await sql`UPDATE reports SET text = ${text}, fence = ${token} WHERE id = 7 AND fence <= ${token}`
   * ```
   */
  fencingToken(): Promise<number>

  /**
   * Acquires the lock once more, for code that locks what its caller has already locked. The lock is released with its
   * last handle. This costs no request.
   *
   * @returns another handle on the same lock.
   * @throws `LockLostError` when the lock is no longer held, or this handle has been released.
   * @example
   * ```ts
   * await using inner = lock.reenter()
   * ```
   */
  reenter(): Lock

  /**
   * Releases this handle. The lock is released with its last handle. Resolves as soon as a quorum has confirmed. Never
   * rejects, so it masks no error of the work before it. A second call has the same result and sends no request.
   */
  release(): Promise<ReleaseResult>

  /** Whether it holds all these keys as this client would hold them. @internal */
  covers(keys: readonly string[], client: Client): boolean

  /** The state that all handles on the lock share. @internal */
  state(): LockState

  /** Extends the lock from now on, within limits. @internal */
  keepAlive(limits: KeepAliveLimits): void
}
