// Without the lib that declares `AsyncDisposable`, TypeScript would treat `Lock` as `any` in projects with
// `skipLibCheck`.
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

  /** The `metadata` that was passed to `acquire`; empty if there was none. */
  readonly metadata: string

  /** Identifies this holder in events, errors and reports. Other clients see it there as `holder`. Not a secret. */
  readonly id: string

  /** The secret that proves ownership: any client that has it can release the lock. Do not log it. */
  readonly value: string

  /** How long the lock is certainly still held, in ms, with an allowance for clock drift; 0 if it is not held. */
  readonly expiresIn: number

  /** Whether the lock is certainly held right now and this handle has not been released. */
  readonly held: boolean

  /**
   * Aborts with a `LockLostError` when the lock is lost. A local timer aborts the signal when the validity ends, even
   * if every node hangs. The signal aborts earlier if `extend` finds that the lock is gone. It does not abort on
   * `release`.
   */
  readonly signal: AbortSignal

  /**
   * Extends the lock to at least `ttl` ms from now, and never shortens it. This also restores the key on a node that
   * has lost it, unless another client has held it there in between.
   *
   * @param ttl - The time in ms. Default: the TTL with which the lock was acquired.
   * @throws `LockLostError` when the lock is no longer held.
   * @throws `QuorumError` when too few nodes answered; the lock lasts until `expiresIn` is 0.
   */
  extend(ttl?: number): Promise<void>

  /**
   * The fencing token of this lock: a safe integer that never changes and that is unique among the locks on these keys.
   * It is higher than the token of every earlier lock on them. Send it with each write, and let the store reject lower
   * tokens. Then a holder that was paused for too long can do no harm.
   *
   * The token usually costs no request, because the nodes that granted the lock agree on it. If other clients competed
   * for the lock, it can cost a round trip or two.
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
   * Acquires the lock once more, without a request, for code that locks what its caller has already locked. The lock is
   * released when its last handle is released.
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
   * Releases this handle; the last handle releases the lock. Resolves as soon as a quorum has confirmed the release.
   * Never rejects, so it cannot mask an error from your work. A second call returns the same result without a request.
   */
  release(): Promise<ReleaseResult>

  /** Whether this lock covers all these keys for this client. @internal */
  covers(keys: readonly string[], client: Client): boolean

  /** The state that all handles on the lock share. @internal */
  state(): LockState

  /** Starts to extend the lock automatically, within these limits. @internal */
  keepAlive(limits: KeepAliveLimits): void
}
