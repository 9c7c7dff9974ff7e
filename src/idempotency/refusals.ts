import { problem } from '../http/problem-details.ts'

// Why a request is refused, with its default status and text, which names the header for the first two.
const refusals = {
  'missing-key': [400, 'Bad Request', ''],
  'bad-key': [400, 'Bad Request', ''],
  'other-payload': [
    422,
    'Unprocessable Content',
    'The key was used for a request with another payload.',
  ],
  'large-payload': [413, 'Content Too Large', 'The payload of the request is too large.'],
  'in-flight': [
    409,
    'Conflict',
    'The same request is being processed. Please try again in a moment.',
  ],
  'not-kept': [409, 'Conflict', 'The request has been processed. Its answer was not kept.'],
  unavailable: [
    503,
    'Service Unavailable',
    'Temporarily unavailable. Please try again in a moment.',
  ],
  'not-recorded': [
    503,
    'Service Unavailable',
    'It is unknown whether the request was completed. Please try again with the same key.',
  ],
} as const

/**
 * Why a request is refused:
 *
 * - `missing-key`, `bad-key`: it has no key, or one that is no single key;
 * - `other-payload`: the key was used for another payload;
 * - `large-payload`: the payload is larger than `maxPayload`;
 * - `in-flight`: the same request is being processed;
 * - `not-kept`: it has been processed, but its answer was too large to be kept, or the store failed;
 * - `unavailable`: too few nodes answered, and nothing was done; or the request was processed before, and the
 *   store does not have its answer now;
 * - `not-recorded`: the handler has answered, but its answer is on too few nodes to be sent.
 */
export type RefusalReason = keyof typeof refusals

/** A request that is neither processed nor answered from a record. */
export type RequestRefusal = {
  readonly reason: RefusalReason
  readonly status: number
  /** A sentence for the client. */
  readonly detail: string
  /** Ms after which another try makes sense; undefined where none does. */
  readonly retryAfter?: number
  /** The answer of the handler, where it was not recorded. */
  readonly response?: Response
}

/** The reasons, for the check of options. */
export const refusalReasons: readonly string[] = Object.keys(refusals)

export const makeRefusal = (
  reason: RefusalReason,
  statuses: Partial<Readonly<Record<RefusalReason, number>>> = {},
  more: Partial<Omit<RequestRefusal, 'reason' | 'status'>> = {},
): RequestRefusal => {
  const [status, , detail] = refusals[reason]
  return { reason, status: statuses[reason] ?? status, detail, ...more }
}

/** The default response: problem+json, or plain text for clients that prefer it. */
export const refusalResponse = (
  { reason, status, detail, retryAfter }: RequestRefusal,
  accept: string | null | undefined,
): Response => {
  const [usual, title] = refusals[reason]
  // RFC 9457: without a type, the title is that of the status.
  const why = [status, status === usual ? title : reason, detail] as const
  return problem(why, accept, retryAfter)
}
