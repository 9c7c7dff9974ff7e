import { prefersText } from './content-negotiation.ts'

/** The refusals that HTTP knows of: held by another, throttled, no quorum. */
export type ProblemStatus = 409 | 429 | 503

// No `type` means about:blank: the status says it all.
const problems = {
  409: ['Conflict', 'Another request holds the lock'],
  429: ['Too Many Requests', 'This was done a moment ago'],
  503: ['Service Unavailable', 'The lock is out of reach'],
} as const

/**
 * A refusal with `Retry-After`: `application/problem+json`, or plain text for who prefers it.
 *
 * @param retryAfter - Ms; given to the client in whole seconds, rounded up, at least 1.
 * @param accept - The `accept` header of the request.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  status: ProblemStatus,
  retryAfter: number,
  accept: string | null | undefined,
  given: Readonly<Record<string, string>> = {},
): Response => {
  const [title, detail] = problems[status]
  const headers = { ...given, 'retry-after': `${seconds(retryAfter)}`, vary: 'accept' }
  return prefersText(accept)
    ? new Response(`${detail}\n`, { status, headers })
    : problemJson(status, title, detail, headers)
}

/** Any refusal as `application/problem+json`. */
export const problemJson = (
  status: number,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify({ title, status, detail }), {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  })

/** Whole seconds, as HTTP headers take them: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
