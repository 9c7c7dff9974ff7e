/** The content of a rejection response. */
export type Problem = {
  /** A URI with a code such as `ERL02`, which has its section in the troubleshooting page. */
  readonly type?: string | undefined
  readonly status: number
  /** The phrase of the status. */
  readonly title?: string | undefined
  /** A sentence for the client. */
  readonly detail: string
  /** Distinguishes rejections with the same status. */
  readonly reason?: string | undefined
  /** How long the client should wait before it retries, in ms; undefined if a retry is pointless. */
  readonly retryAfter?: number | undefined
}

/**
 * Creates the `application/problem+json` response to a rejected request.
 *
 * @param more - Additional headers, with lower-case names.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9457}
 * @example
 * ```ts
 * lock({ redlock, key: 'report', onRejected: (rejection) => problem({ ...rejection, title: 'Busy' }) })
 * ```
 */
export const problem = (
  { type, status, title, detail, reason, retryAfter }: Problem,
  more?: Readonly<Record<string, string>>,
): Response => {
  const later = retryAfter !== undefined && { 'retry-after': `${seconds(retryAfter)}` }
  const headers = { ...more, ...later, 'content-type': 'application/problem+json' }
  return new Response(JSON.stringify({ type, status, title, detail, reason }), { status, headers })
}

/** Converts ms to whole seconds for an HTTP header: rounded up, at least 1. */
export const seconds = (time: number): number => Math.max(1, Math.ceil(time / 1000))
