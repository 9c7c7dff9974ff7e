import type { NodeReport } from './node-report.ts'
import type { Refusal, ReleaseResult } from './results.ts'

/** `elapsed`: ms since the step or the call began. */
type Timed = { readonly elapsed: number }
type Call = Timed & { readonly attempts: number }
/** `heldFor`: ms since the lock was acquired or adopted. */
type Held = { readonly heldFor: number }

/**
 * An event as `onEvent` receives it, for logs and metrics. It contains no secrets.
 *
 * - `acquired`, `rejected`: how a call ended, after so many `attempts`. They are 0 where the isolate's
 *   cache knew that a throttle window is closed.
 * - `failed-open`: the call would have been rejected, but `failOpen` let the request pass.
 * - `split`: an attempt found the vote split.
 * - `waiting`: the first attempt of a call was refused, and the call waits for the next.
 * - `node-error`: a node failed, or did not answer within the timeout.
 * - `duplicate-node`: `node` leads to the same server as `duplicateOf`, so both count as one node.
 *   Reported once per pair and isolate.
 * - `skipped`: `key` of a middleware returned null, so that the request passed without a lock. It has no
 *   keys.
 * - `extended`, `lost`, `released`: what happened to a lock that was held.
 */
export type LockEvent = { readonly keys: readonly string[] } & (
  | (Call & { readonly type: 'acquired' })
  | (Call & Refusal & { readonly type: 'rejected' | 'failed-open' | 'split' | 'waiting' })
  | (Timed & NodeReport & { readonly type: 'node-error' })
  | { readonly type: 'duplicate-node'; readonly node: string; readonly duplicateOf: string }
  | (Timed & { readonly type: 'extended'; readonly expiresIn: number })
  | { readonly type: 'skipped' }
  | (Held & { readonly type: 'lost' })
  | (Timed & Held & { readonly type: 'released'; readonly result: ReleaseResult })
)
