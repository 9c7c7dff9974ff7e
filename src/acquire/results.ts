import type { Lock } from '../lock/lock.ts'
import type { Refusal } from '../reports/results.ts'

/** The result of `tryAcquire`. Contention is a value, not an exception. */
export type AcquireResult = { readonly ok: true; readonly lock: Lock } | Refusal

/** The result of `throttle`. `resetAfter` and `retryAfter`: ms until the next call passes. */
export type ThrottleResult = { readonly ok: true; readonly resetAfter: number } | Refusal
