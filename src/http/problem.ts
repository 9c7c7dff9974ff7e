/** The refusals that HTTP knows of: held by another, throttled, no quorum. */
export type ProblemStatus = 409 | 429 | 503

// No `type` means about:blank: the status says it all.
const problems = {
  409: ['Conflict', 'Another request holds the lock'],
  429: ['Too Many Requests', 'This was done a moment ago'],
  503: ['Service Unavailable', 'The lock is out of reach'],
} as const

/**
 * A refusal as `application/problem+json` with `Retry-After`.
 *
 * @param retryAfter - Ms; given to the client in whole seconds, rounded up, at least 1.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 */
export const problem = (
  status: ProblemStatus,
  retryAfter: number,
  headers: Readonly<Record<string, string>> = {},
): Response => {
  const [title, detail] = problems[status]
  return problemJson(status, title, detail, {
    ...headers,
    'retry-after': String(seconds(retryAfter)),
  })
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
