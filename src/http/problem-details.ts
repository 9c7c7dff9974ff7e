import type { Refusal } from '../reports/results.ts'
import { prefersText } from './content-negotiation.ts'
import type { Headers as More } from './with-headers.ts'

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
 * @param retryAfter - Ms; the header has whole seconds. No header where it is undefined.
 * @param more - More headers, in lower case.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  [status, title, detail]: Problem,
  accept: string | null | undefined,
  retryAfter: number | undefined,
  more?: More,
): Response => {
  const headers = new Headers({ ...more, vary: 'accept' })
  if (retryAfter !== undefined) headers.set('retry-after', `${seconds(retryAfter)}`)
  if (prefersText(accept)) return new Response(`${detail}\n`, { status, headers })
  headers.set('content-type', 'application/problem+json')
  return new Response(JSON.stringify({ title, status, detail }), { status, headers })
}

/** Converts ms to the whole seconds of HTTP headers: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
