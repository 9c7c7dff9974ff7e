import type { Refusal } from '../reports/results.ts'
import { prefersText } from './content-negotiation.ts'

// The statuses of refusals by a lock or a throttle. Those of idempotent requests are in
// idempotency/refusals.ts, and those of fencing tokens in guards/fenced.ts. Without a `type` a problem is
// `about:blank`: its title is that of the status.
const problems = {
  locked: [409, 'Conflict', 'Another request is being processed. Please try again in a moment.'],
  throttled: [429, 'Too Many Requests', 'Too many requests. Please try again in a moment.'],
  unavailable: [
    503,
    'Service Unavailable',
    'Temporarily unavailable. Please try again in a moment.',
  ],
} as const

/** Why a request was refused: another client holds its lock or its window, or there is no quorum. */
export type RefusalKind = keyof typeof problems

/** Replacements for the default responses to refused requests. */
export type RefusalHandlers<Args extends readonly unknown[]> = {
  /**
   * Returns the response when another client holds the lock or the window. Default: a 409 Conflict
   * for a lock and a 429 Too Many Requests for a throttle, as problem+json with `Retry-After`.
   */
  readonly onLocked?: (...request: [...Args, result: Refusal]) => Response | Promise<Response>
  /**
   * Returns the response when too few nodes can be reached. Default: a 503 Service Unavailable, as
   * problem+json with `Retry-After`.
   */
  readonly onUnavailable?: (...request: [...Args, result: Refusal]) => Response | Promise<Response>
}

/**
 * The default response to a refused request, with `Retry-After`: `application/problem+json`, or
 * plain text for clients that prefer it.
 *
 * @param retryAfter - Ms; the header has whole seconds.
 * @param accept - The `accept` header of the request.
 * @param extraHeaders - More headers, in lower case.
 * @param given - A sentence for the user, instead of that of the kind.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  kind: RefusalKind,
  retryAfter: number,
  accept: string | null | undefined,
  extraHeaders?: Readonly<Record<string, string>>,
  given?: string,
): Response => {
  const [status, title, usual] = problems[kind]
  const detail = given ?? usual
  const headers = { ...extraHeaders, 'retry-after': `${seconds(retryAfter)}`, vary: 'accept' }
  return prefersText(accept)
    ? new Response(`${detail}\n`, { status, headers })
    : problemJson(status, title, detail, headers)
}

/** A response with `application/problem+json`. */
export const problemJson = (
  status: number,
  title: string,
  detail: string,
  headers?: Readonly<Record<string, string>>,
): Response =>
  new Response(JSON.stringify({ title, status, detail }), {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  })

/** Converts ms to the whole seconds of HTTP headers: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
