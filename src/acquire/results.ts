import type { Lock } from '../lock/lock.ts'
import type { Refusal } from '../reports/results.ts'

/** The result of `tryAcquire`. Contention is a value, not an exception. */
export type AcquireResult = { readonly ok: true; readonly lock: Lock } | Refusal

/** A pass of a throttle as a lock that can be released, and what `throttle` says beside it. */
export type WindowResult =
  | { readonly ok: true; readonly lock: Lock; readonly remaining?: number }
  | Refusal

/**
 * The result of `throttle`. `resetAfter`: ms until the pass no longer counts; `retryAfter`: ms until the next
 * call can pass. `remaining`: how many more can pass now, where there is a `limit`.
 */
export type ThrottleResult =
  | { readonly ok: true; readonly resetAfter: number; readonly remaining?: number }
  | Refusal
