// A handler can answer without returning. Frameworks redirect with an exception, which is an answer, not a failure.

/**
 * The form in which a framework throws an answer. React Router throws a `Response`, and TanStack a `Response` with
 * route options, which are stored as JSON. SvelteKit throws an object with `status` and `location`, and Next.js an
 * error with a `digest`. Records contain these values, so their meaning never changes.
 */
export type ThrownAs = 'response' | `route;${string}` | 'redirect' | `NEXT_${string}`

/** An answer that was thrown. */
export type ThrownAnswer = {
  readonly as: ThrownAs
  /** The response that the framework creates from it. */
  readonly response: Response
}

/** Whether it is a `Request` or a `Response`. `instanceof` fails for those of another library or realm. */
export const isMessage = (given: unknown): boolean => {
  const { headers, text } = Object(given) as Partial<Request>
  return typeof headers?.get === 'function' && typeof text === 'function'
}

/** Whether a status redirects to a `location`. 304 has none. */
export const isRedirect = (status: unknown): status is number =>
  [300, 301, 302, 303, 307, 308].includes(status as number)

/** A response that redirects. Headers cannot contain characters beyond Latin-1, so these are escaped. */
export const redirectTo = (status: number, location: string): Response => {
  // Characters that are already escaped stay unchanged.
  const escaped = location.replace(/[^ -~]+/g, encodeURIComponent)
  return new Response(null, { status, headers: { location: escaped } })
}

// The type, the URL, which may contain semicolons, and the status.
const nextRedirect = /^NEXT_REDIRECT;(?:push|replace);(.+);(3\d\d);?$/
// `notFound()`, `forbidden()` and `unauthorized()`. All other digests are signals of a build.
const nextFallback = /^NEXT_HTTP_ERROR_FALLBACK;(4\d\d)$/

/** The response that Next.js creates from an error with this digest; undefined if the error is not an answer. */
const responseOfNext = (digest: string): Response | undefined => {
  const [, url, redirected] = nextRedirect.exec(digest) ?? []
  if (url) return redirectTo(Number(redirected), url)
  const [, failed] = nextFallback.exec(digest) ?? []
  return failed ? new Response(null, { status: Number(failed) }) : undefined
}

/** The prototype of SvelteKit's redirects, which SvelteKit requires; undefined until one is thrown. */
let redirectPrototype: object | undefined

const isPlain = (given: object): boolean =>
  [Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null)

/** Whether it redirects to a location that is not known yet. */
const lacksLocation = ({ status, headers }: Response): boolean =>
  isRedirect(status) && !headers.has('location')

/** The options of `redirect()`, from which TanStack later builds the location; undefined for other responses. */
export const routeOf = (response: Response): object | undefined =>
  lacksLocation(response) ? (response as { options?: object }).options : undefined

/** Reads a thrown answer. @throws the error of a getter, or of a location that a header cannot contain. */
const readThrown = (thrown: unknown): ThrownAnswer | undefined => {
  if (isMessage(thrown)) {
    const response = thrown as Response
    if (!lacksLocation(response)) return { as: 'response', response }
    const route = routeOf(response)
    // The headers may contain cookies. JSON omits functions.
    return route && { as: `route;${JSON.stringify({ ...route, headers: undefined })}`, response }
  }
  const { digest, status, location } = Object(thrown) as Readonly<Record<string, unknown>>
  if (typeof digest === 'string') {
    const response = responseOfNext(digest)
    return response && { as: digest as ThrownAs, response }
  }
  if (thrown instanceof Error || typeof location !== 'string' || !isRedirect(status)) {
    return undefined
  }
  if (!isPlain(thrown as object)) {
    redirectPrototype = Object.getPrototypeOf(thrown) as object
  }
  return { as: 'redirect', response: redirectTo(status, location) }
}

/** The answer that a handler has thrown; undefined if it has failed. */
export const thrownAnswerOf = (thrown: unknown): ThrownAnswer | undefined => {
  try {
    return readThrown(thrown)
  } catch {
    return undefined
  }
}

/**
 * The value to throw, so that the framework creates this response again. SvelteKit requires an instance of its class,
 * so the result is undefined in a process that has not seen one.
 */
export const throwableOf = (as: ThrownAs, response: Response): unknown => {
  if (as === 'response') return response
  if (as.startsWith('route;')) return Object.assign(response, { options: JSON.parse(as.slice(6)) })
  if (as !== 'redirect') return Object.assign(new Error(as.split(';', 1)[0]), { digest: as })
  const { status, headers } = response
  if (!redirectPrototype) return undefined
  return Object.assign(Object.create(redirectPrototype) as object, {
    status,
    location: headers.get('location'),
  })
}

const transient = /^(40[1389]|42[59]|5..)$/

/** Whether the response has no end, so that no caller can wait for it. */
export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  /^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** Whether an answer is permanent. An answer that invites another try is not. */
export const isLasting = ({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean =>
  !transient.test(`${status}`) && !headers.has('retry-after') && !isEventStream({ headers })
