import type { NodeReport } from './node-report.ts'
import type { Refusal, ReleaseResult } from './results.ts'

/** `elapsed`: ms since the step or the call began. */
type Timed = { readonly elapsed: number }
type Attempted = Timed & { readonly attempts: number }
/** `heldFor`: ms since the lock was acquired or adopted. */
type Held = { readonly heldFor: number }

/** `id`: that of the lock, which others see as `holder`. */
type Own = { readonly id: string }

/**
 * An event as `onEvent` receives it, for logs and metrics. It contains no secrets. Times are whole ms. `kind` says
 * what it is about: a `lock`, a `throttle`, or the `claim` of an idempotent request or of `once`. A claim of a
 * request has the key that the client sent as `key`, and a hash in `keys`.
 *
 * - `acquired`, `rejected`: how a call ended, after so many `attempts`. They are 0 where the isolate's
 *   cache knew that a throttle window is closed.
 * - `failed-open`: the call would have been rejected, but `failOpen` let it run without a lock.
 * - `split`: an attempt found the vote split.
 * - `waiting`: the first attempt of a call was refused, and the call waits for the next.
 * - `node-error`: a node failed, or did not answer within the timeout.
 * - `node-down`, `node-up`: a node has failed for the first time since it last answered, or answers again after
 *   `downFor` ms. Once per change and isolate, to the client that notices it.
 * - `duplicate-node`: `node` leads to the same server as `duplicateOf`, so both count as one node.
 *   Reported once per pair and isolate.
 * - `skipped`: `key` of a middleware returned null, so that the request passed without a lock. It has no
 *   keys.
 * - `replayed`, `in-flight`, `payload-mismatch`: how an idempotent request was answered that did not run.
 * - `not-recorded`: a run has ended, and nothing was recorded, so that a repeated call runs again. `reason`: it has
 *   thrown, its response broke off or has a status of 5xx (`failed`), or its response is not one to record (`declined`).
 * - `extended`, `lost`, `released`: what happened to a lock that was held.
 */
export type LockEvent = {
  readonly kind: 'lock' | 'throttle' | 'claim'
  readonly keys: readonly string[]
  readonly key?: string | undefined
} & About

type About =
  | (Attempted & Own & { readonly type: 'acquired' })
  | (Attempted & Refusal & { readonly type: 'rejected' | 'failed-open' | 'split' | 'waiting' })
  | (Timed & NodeReport & { readonly type: 'node-error' })
  | { readonly type: 'node-down'; readonly node: string }
  | { readonly type: 'node-up'; readonly node: string; readonly downFor: number }
  | { readonly type: 'duplicate-node'; readonly node: string; readonly duplicateOf: string }
  | (Timed & Own & { readonly type: 'extended'; readonly expiresIn: number })
  | { readonly type: 'skipped' | 'replayed' | 'in-flight' | 'payload-mismatch' }
  | { readonly type: 'not-recorded'; readonly reason: 'failed' | 'declined' }
  | (Held & Own & { readonly type: 'lost' })
  | (Timed & Held & Own & { readonly type: 'released'; readonly result: ReleaseResult })

/** An event without what all events of a call have in common. */
export type CallEvent = About & { readonly keys?: readonly string[] }
