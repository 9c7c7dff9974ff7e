import type { Refusal } from '../acquire/attempt.ts'
import type { ReleaseResult } from '../lock/lock.ts'
import type { NodeReport } from './errors.ts'

/** `elapsed`: ms since the step or call began. */
type Timed = { readonly elapsed: number }
type Call = Timed & { readonly attempts: number }

/**
 * What `onEvent` is told, for logs and metrics; no secrets in it.
 *
 * - `acquired`, `rejected`: how a call ended, after so many `attempts`; 0 where the isolate
 *   remembered that a window is closed;
 * - `failed-open`: it would have been rejected, but `failOpen` let the request pass;
 * - `split`: an attempt found the vote split;
 * - `node-error`: a node failed, or did not answer within the timeout;
 * - `extended`, `lost`, `released`: what became of a lock that was held.
 */
export type LockEvent = { readonly keys: readonly string[] } & (
  | (Call & { readonly type: 'acquired' })
  | (Call & Refusal & { readonly type: 'rejected' | 'failed-open' | 'split' })
  | (Timed & NodeReport & { readonly type: 'node-error' })
  | (Timed & { readonly type: 'extended'; readonly expiresIn: number })
  | { readonly type: 'lost' }
  | (Timed & { readonly type: 'released'; readonly result: ReleaseResult })
)
