// A handler can respond by throwing: frameworks use exceptions for redirects, for example. These exceptions are
// responses, not failures.

/**
 * How a framework throws a response. React Router throws a `Response`. TanStack throws a `Response` with route options,
 * which are stored as JSON. SvelteKit throws an object with `status` and `location`, and Next.js throws an error with a
 * `digest`. Records contain these values, so their meaning must never change.
 */
export type ThrownAs = 'response' | `route;${string}` | 'redirect' | `NEXT_${string}`

/** A response that was thrown. */
export type ThrownAnswer = {
  readonly as: ThrownAs
  /** The response that the framework creates from the thrown value. */
  readonly response: Response
}

/**
 * Whether the value is a `Request` or a `Response`. `instanceof` would not recognize those of another library or realm.
 */
export const isMessage = (given: unknown): boolean => {
  const { headers, text } = Object(given) as Partial<Request>
  return typeof headers?.get === 'function' && typeof text === 'function'
}

/** Whether a response with this status redirects to a `location`. A 304 has no `location`. */
export const isRedirect = (status: unknown): status is number =>
  [300, 301, 302, 303, 307, 308].includes(status as number)

/** Creates a redirect. Headers cannot contain characters beyond Latin-1, so non-ASCII characters are escaped. */
export const redirectTo = (status: number, location: string): Response => {
  // Existing escape sequences stay unchanged.
  const escaped = location.replace(/[^ -~]+/g, encodeURIComponent)
  return new Response(null, { status, headers: { location: escaped } })
}

// Matches the type, the URL, which can contain semicolons, and the status.
const nextRedirect = /^NEXT_REDIRECT;(?:push|replace);(.+);(3\d\d);?$/
// Matches `notFound()`, `forbidden()` and `unauthorized()`. All other digests are internal signals of a build.
const nextFallback = /^NEXT_HTTP_ERROR_FALLBACK;(4\d\d)$/

/** The response that Next.js creates from an error with this digest; undefined if the error is not a response. */
const responseOfNext = (digest: string): Response | undefined => {
  const [, url, redirected] = nextRedirect.exec(digest) ?? []
  if (url) return redirectTo(Number(redirected), url)
  const [, failed] = nextFallback.exec(digest) ?? []
  return failed ? new Response(null, { status: Number(failed) }) : undefined
}

/**
 * The prototype of SvelteKit's redirects; undefined until a redirect has been thrown. SvelteKit only accepts objects
 * with this prototype.
 */
let redirectPrototype: object | undefined

const isPlain = (given: object): boolean =>
  [Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null)

/** Whether the response is a redirect whose location is not known yet. */
const lacksLocation = ({ status, headers }: Response): boolean =>
  isRedirect(status) && !headers.has('location')

/** The options of `redirect()`, from which TanStack later builds the location; undefined for other responses. */
export const routeOf = (response: Response): object | undefined =>
  lacksLocation(response) ? (response as { options?: object }).options : undefined

/** Reads a thrown response. @throws if a getter throws, or if a header cannot contain the location. */
const readThrown = (thrown: unknown): ThrownAnswer | undefined => {
  if (isMessage(thrown)) {
    const response = thrown as Response
    if (!lacksLocation(response)) return { as: 'response', response }
    const route = routeOf(response)
    // The headers are left out because they may contain cookies. JSON omits functions.
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

/** The response that a handler has thrown; undefined if the handler failed. */
export const thrownAnswerOf = (thrown: unknown): ThrownAnswer | undefined => {
  try {
    return readThrown(thrown)
  } catch {
    return undefined
  }
}

/**
 * The value to throw so that the framework creates this response again. SvelteKit requires an instance of its redirect
 * class, so the result is undefined if this process has not seen one yet.
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

/** Whether the response is an event stream, which has no end to wait for. */
export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  /^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** Whether a response is permanent, rather than one that asks the client to try again. */
export const isLasting = ({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean =>
  !transient.test(`${status}`) && !headers.has('retry-after') && !isEventStream({ headers })
