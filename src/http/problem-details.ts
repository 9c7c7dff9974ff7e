import type { Refusal } from '../reports/results.ts'
import { prefersText } from './content-negotiation.ts'
import type { Headers } from './with-headers.ts'

/** A refusal. Without a `type` a problem is `about:blank`: its title is that of the status. */
export type Problem = readonly [status: number, title: string, detail: string, headers?: Headers]

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
 * The default response to a refused request: `application/problem+json`, or plain text for clients that
 * prefer it.
 *
 * @param accept - The `accept` header of the request.
 * @param retryAfter - Ms; the header has whole seconds. No header where it is undefined.
 * @param about - The status, its title, a sentence for the user, and more headers in lower case.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  accept: string | null | undefined,
  retryAfter: number | undefined,
  ...[status, title, detail, more]: Problem
): Response => {
  const headers = {
    ...more,
    ...(retryAfter !== undefined && { 'retry-after': `${seconds(retryAfter)}` }),
    vary: 'accept',
  }
  return prefersText(accept)
    ? new Response(`${detail}\n`, { status, headers })
    : problemJson(status, title, detail, headers)
}

/** A response with `application/problem+json`. */
export const problemJson = (
  status: number,
  title: string,
  detail: string,
  headers?: Headers,
): Response =>
  new Response(JSON.stringify({ title, status, detail }), {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  })

/** Converts ms to the whole seconds of HTTP headers: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
