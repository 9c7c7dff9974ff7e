import type { NodeReport } from '../core/results/node-report.ts'
import type { Code } from '../util/codes.ts'

/** Why `lock()` and `withLock()` reject a request. */
export type LockReason = 'locked' | 'unavailable'

/** Why `throttle()` and `withThrottle()` reject a request. */
export type ThrottleReason = 'throttled' | 'unavailable'

/**
 * Why `idempotent()` and `withIdempotency()` reject a request:
 *
 * - `missing-key`: the request has no key;
 * - `invalid-key`: the header does not contain exactly one valid key;
 * - `payload-mismatch`: the key was used with a different payload;
 * - `payload-too-large`: the payload is larger than `maxPayload`;
 * - `in-flight`: the same request is being processed;
 * - `response-not-stored`: the request has been processed, but its response was too large, or the store failed;
 * - `response-not-recorded`: the handler has responded, but too few nodes have recorded the response;
 * - `unavailable`: too few nodes replied, so the handler did not run. Or the request was processed before, and the
 *   store does not return the response now.
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

/** The rejection of a request. The rejection response replaces that of the handler. */
export type RequestRejection<Reason extends RejectionReason = RejectionReason> = {
  readonly reason: Reason
  /** A URI with a code such as `ERL02`, which has its section in the troubleshooting page. */
  readonly type: string
  readonly status: number
  /** A sentence for the client. */
  readonly detail: string
  /**
   * How long the client should wait before it retries, in ms; undefined if a retry is pointless. While another request
   * runs, this is one second, or the time that this request has waited, whichever is longer. It never exceeds the
   * remaining lifetime of the other request's lock.
   */
  readonly retryAfter?: number | undefined
  /** The reply of each node, for a lock or a throttle. */
  readonly nodes?: readonly NodeReport[] | undefined
  /** The handler's response, if it was not recorded. */
  readonly response?: Response | undefined
}

/** The default status of a rejection, the phrase of that status, a sentence for the client, and the code. */
type Usual = readonly [status: number, title: string, detail: string, code: Code]

/** The default responses of one kind of middleware, by the reason of the rejection. */
export type Rejections<Reason extends string = string> = Readonly<Record<Reason, Usual>>

// Each kind of middleware has its own table, so that bundles omit the tables of unused middleware. If a detail is empty
// here, the gate supplies it.

const unavailable: Usual = [
  503,
  'Service Unavailable',
  'The service is temporarily unavailable. Please try again in a moment.',
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
    'The key was used with a different payload.',
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
    'The request has already been processed, but its response was not stored.',
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
