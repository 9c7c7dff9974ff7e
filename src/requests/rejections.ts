import type { NodeReport } from '../core/results/node-report.ts'
import type { Code } from '../util/codes.ts'

/** Why `lock()` and `withLock()` reject a request. */
export type LockReason = 'locked' | 'unavailable'

/** Why `throttle()` and `withThrottle()` reject a request. */
export type ThrottleReason = 'throttled' | 'unavailable'

/**
 * Why `idempotent()` and `withIdempotency()` reject a request:
 *
 * - `missing-key`, `invalid-key`: it has no key, or one that is not a single key;
 * - `payload-mismatch`: the key was used for another payload;
 * - `payload-too-large`: the payload is larger than `maxPayload`;
 * - `in-flight`: the same request is being processed;
 * - `response-not-stored`: it has been processed, but its answer was too large to be kept, or the store failed;
 * - `response-not-recorded`: the handler has answered, but too few nodes have recorded its answer;
 * - `unavailable`: too few nodes answered, and nothing was done; or the request was processed before, and the
 *   store does not return its answer now.
 */
export type IdempotentReason =
  | 'missing-key'
  | 'invalid-key'
  | 'payload-mismatch'
  | 'payload-too-large'
  | 'in-flight'
  | 'response-not-stored'
  | 'response-not-recorded'
  | 'unavailable'

/** Why a request is rejected. */
export type RejectionReason = LockReason | ThrottleReason | IdempotentReason

/** A request that its handler does not answer. */
export type RequestRejection<Reason extends RejectionReason = RejectionReason> = {
  readonly reason: Reason
  /** A URI with a code such as `ERL02`, which has its section in the troubleshooting page. */
  readonly type: string
  readonly status: number
  /** A sentence for the client. */
  readonly detail: string
  /**
   * Ms after which another try makes sense; undefined if none does. While another request runs, it is a second, or the
   * time that this one has waited if that is longer. It is at most the time until the lock of the other request
   * expires.
   */
  readonly retryAfter?: number | undefined
  /** How each node answered, for a lock or a throttle. */
  readonly nodes?: readonly NodeReport[] | undefined
  /** The answer of the handler, if it was not recorded. */
  readonly response?: Response | undefined
}

/** The default status of a rejection, the phrase of that status, a sentence for the client, and the code. */
type Usual = readonly [status: number, title: string, detail: string, code: Code]

/** The reasons for which one kind of middleware rejects requests. */
export type Rejections<Reason extends string = string> = Readonly<Record<Reason, Usual>>

// One table per kind of middleware, so that a bundle has only those in use. An empty detail depends on the request.

const unavailable: Usual = [
  503,
  'Service Unavailable',
  'Unavailable. Please try again in a moment.',
  'ERL03',
]

export const lockRejections: Rejections<LockReason> = {
  locked: [
    409,
    'Conflict',
    'Another request is being processed. Please try again in a moment.',
    'ERL02',
  ],
  unavailable,
}

export const throttleRejections: Rejections<ThrottleReason> = {
  throttled: [429, 'Too Many Requests', '', 'ERL09'],
  unavailable,
}

export const idempotentRejections: Rejections<IdempotentReason> = {
  'missing-key': [400, 'Bad Request', '', 'ERL10'],
  'invalid-key': [400, 'Bad Request', '', 'ERL10'],
  'payload-mismatch': [
    422,
    'Unprocessable Content',
    'The key was used for another payload.',
    'ERL11',
  ],
  'payload-too-large': [413, 'Content Too Large', 'The payload is too large.', 'ERL12'],
  'in-flight': [
    409,
    'Conflict',
    'The same request is being processed. Please try again in a moment.',
    'ERL13',
  ],
  'response-not-stored': [
    409,
    'Conflict',
    'The request has been processed. Its answer was not kept.',
    'ERL14',
  ],
  'response-not-recorded': [
    503,
    'Service Unavailable',
    'The request may have been processed. Please try again with the same key.',
    'ERL15',
  ],
  unavailable,
}
