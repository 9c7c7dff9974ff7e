import type { Refusal } from '../acquire/attempt.ts'
import type { KeepAliveOptions } from '../lock/keep-alive.ts'
import type { Lock } from '../lock/lock.ts'
import type { Retry } from '../retry/retry.ts'

type CallOptions = {
  /** Cancels the call at any point; nothing stays locked. */
  readonly signal?: AbortSignal | undefined
  /**
   * Is handed every promise of work that goes on after the call has returned, such as releasing
   * the nodes of a failed attempt. Where the runtime drops such work, pass its own:
   * `(work) => ctx.waitUntil(work)`. The promises never reject.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  /** Whether an outage is told as one that is let pass. @internal */
  readonly failOpen?: boolean | undefined
}

/** Options of `tryAcquire`. */
export type TryAcquireOptions = CallOptions & {
  /** Ms the lock lives unless it is extended. Default: the `ttl` of the `Redlock`. */
  readonly ttl?: number | undefined
  /**
   * Who holds it, for others to see in `nodes` of a refusal and in `inspect`: at most 4,096
   * characters. No secrets.
   */
  readonly metadata?: string | undefined
}

/** Options of `acquire`. */
export type AcquireOptions = TryAcquireOptions & {
  /** When to try again. Default: the `retry` of the `Redlock`. */
  readonly retry?: Retry | undefined
  /** The ceiling on waiting, in ms; with it, the number of tries has no limit of its own. */
  readonly wait?: number | undefined
}

/** Options of `using`. */
export type UsingOptions = AcquireOptions & KeepAliveOptions

/** Options of `throttle`. */
export type ThrottleOptions = CallOptions & {
  /** Ms in which one call passes. */
  readonly window: number
}

/** What `tryAcquire` resolves to. Contention is a value, not an exception. */
export type AcquireResult = { readonly ok: true; readonly lock: Lock } | Refusal

/** What `throttle` resolves to. `resetAfter` and `retryAfter`: ms until the next pass. */
export type ThrottleResult = { readonly ok: true; readonly resetAfter: number } | Refusal
