import type { Refusal } from '../reports/results.ts'
import { prefersText } from './content-negotiation.ts'
import type { Headers } from './with-headers.ts'

/** Why a request is refused. Without a `type` a problem is `about:blank`: its title is that of the status. */
export type Problem = readonly [status: number, title: string, detail: string]

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
 * @param more - More headers, in lower case.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  [status, title, detail]: Problem,
  accept: string | null | undefined,
  more: Headers,
): Response => {
  const isText = prefersText(accept)
  const type = isText ? 'text/plain;charset=UTF-8' : 'application/problem+json'
  const content = isText ? `${detail}\n` : JSON.stringify({ title, status, detail })
  return new Response(content, {
    status,
    headers: { ...more, vary: 'accept', 'content-type': type },
  })
}

/** The header that says when to try again, after so many ms. */
export const retryAfter = (time: number): Headers => ({ 'retry-after': `${seconds(time)}` })

/** Converts ms to the whole seconds of HTTP headers: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
