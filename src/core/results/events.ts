import type { NodeReport } from './node-report.ts'
import type { Rejection, ReleaseResult } from './results.ts'

/** `elapsed`: ms since the operation or the call began. */
type Timed = { readonly elapsed: number }
type Attempted = Timed & { readonly attempts: number }
/** `heldFor`: ms since the lock was acquired or adopted. */
type Held = { readonly heldFor: number }

/** `id`: the ID of the lock, which others see as `holder`. */
type Own = { readonly id: string }

/**
 * An event that `onEvent` receives, for logs and metrics. Events contain no secrets. Times are whole ms. `kind` is the
 * subject: a `lock`, a `throttle`, or the `claim` of an idempotent request or of `once`. For the claim of a request,
 * `key` is the key that the client sent, and `keys` contains a hash.
 *
 * - `acquired`, `rejected`: the outcome of a call. `attempts` is 0 if the isolate's cache showed that a throttle window
 *   is closed.
 * - `failed-open`: the call would have been rejected, but `failOpen` let it run without a lock.
 * - `split`: the vote of an attempt was split.
 * - `waiting`: the first attempt of a call was rejected, and the call waits for its next attempt.
 * - `node-error`: a node failed, or did not answer within the timeout.
 * - `node-down`, `node-up`: a node failed for the first time since it last answered, or answered again after `downFor`
 *   ms. Each change is reported once per isolate, to the client that notices it.
 * - `duplicate-node`: `node` leads to the same server as `duplicateOf`, so both count as one node.
 *   Reported once per pair and isolate.
 * - `skipped`: the `key` function of a middleware returned null, so the request passed without a lock. `keys` is empty.
 * - `replayed`, `in-flight`, `payload-mismatch`: how an idempotent request that did not run was answered.
 * - `not-recorded`: a run ended without a record, so a repeated call runs again. The `reason` is `failed` if the run
 *   threw, its response broke off, or the status was 5xx. It is `declined` if an option kept the response from being
 *   recorded.
 * - `extended`, `lost`, `released`: what happened to a lock that was held.
 */
export type LockEvent = {
  readonly kind: 'lock' | 'throttle' | 'claim'
  readonly keys: readonly string[]
  readonly key?: string | undefined
} & About

type About =
  | (Attempted & Own & { readonly type: 'acquired' })
  | (Attempted & Rejection & { readonly type: 'rejected' | 'failed-open' | 'split' | 'waiting' })
  | (Timed & NodeReport & { readonly type: 'node-error' })
  | { readonly type: 'node-down'; readonly node: string }
  | { readonly type: 'node-up'; readonly node: string; readonly downFor: number }
  | { readonly type: 'duplicate-node'; readonly node: string; readonly duplicateOf: string }
  | (Timed & Own & { readonly type: 'extended'; readonly expiresIn: number })
  | { readonly type: 'skipped' | 'replayed' | 'in-flight' | 'payload-mismatch' }
  | { readonly type: 'not-recorded'; readonly reason: 'failed' | 'declined' }
  | (Held & Own & { readonly type: 'lost' })
  | (Timed & Held & Own & { readonly type: 'released'; readonly result: ReleaseResult })

/** An event without the fields that all events of a call share. */
export type CallEvent = About & { readonly keys?: readonly string[] }
