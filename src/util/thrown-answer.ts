// A handler answers not only by what it returns. Frameworks redirect by an exception, which is an answer, not a failure.

/**
 * How a framework throws an answer: as a `Response` (React Router), as one with the options of a route in JSON
 * (TanStack), as an object with `status` and `location` (SvelteKit), or as an error that is known by its `digest`
 * (Next.js). It stands in records, so its values never change their meaning.
 */
export type ThrownAs = 'response' | `route;${string}` | 'redirect' | `NEXT_${string}`

/** An answer that was thrown. */
export type ThrownAnswer = {
  readonly as: ThrownAs
  /** The response that the framework makes of it. */
  readonly response: Response
}

/** Whether it is a Request or a Response: those of another library or another realm are no instances. */
export const isMessage = (given: unknown): boolean => {
  const { headers, text } = Object(given) as Partial<Request>
  return typeof headers?.get === 'function' && typeof text === 'function'
}

/** Whether a status redirects to a `location`. 304 has none. */
export const isRedirect = (status: unknown): status is number =>
  [300, 301, 302, 303, 307, 308].includes(status as number)

/** A response that redirects. A header has no characters beyond Latin-1, so they are escaped. */
export const redirectTo = (status: number, location: string): Response => {
  // An escaped character stays as it is.
  const escaped = location.replace(/[^ -~]+/g, encodeURIComponent)
  return new Response(null, { status, headers: { location: escaped } })
}

// The type, the url, in which there may be semicolons, and the status.
const nextRedirect = /^NEXT_REDIRECT;(?:push|replace);(.+);(3\d\d);?$/
// `notFound()`, `forbidden()` and `unauthorized()`. All other digests are signals of a build.
const nextFallback = /^NEXT_HTTP_ERROR_FALLBACK;(4\d\d)$/

/** The response that Next.js makes of an error with this digest; undefined if it is no answer. */
const responseOfNext = (digest: string): Response | undefined => {
  const [, url, redirected] = nextRedirect.exec(digest) ?? []
  if (url) return redirectTo(Number(redirected), url)
  const [, failed] = nextFallback.exec(digest) ?? []
  return failed ? new Response(null, { status: Number(failed) }) : undefined
}

/** The prototype of the redirects of SvelteKit, which recognises only its own; undefined until one is thrown. */
let redirectPrototype: object | undefined

const isPlain = (given: object): boolean =>
  [Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null)

/** Whether it redirects, and nothing says yet where to. */
const isOpen = ({ status, headers }: Response): boolean =>
  isRedirect(status) && !headers.has('location')

/** The options of `redirect()` of TanStack, which makes the location of them later; undefined if it is none. */
export const routeOf = (response: Response): object | undefined =>
  isOpen(response) ? (response as { options?: object }).options : undefined

/** Reads an answer that was thrown. @throws the error of a getter, or of a location that no header can have. */
const readThrown = (thrown: unknown): ThrownAnswer | undefined => {
  if (isMessage(thrown)) {
    const response = thrown as Response
    if (!isOpen(response)) return { as: 'response', response }
    const route = routeOf(response)
    // Its headers may be cookies. A function is left out.
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
 * What to throw, so that the framework makes this response of it again. Undefined for SvelteKit, which recognises only
 * instances of its own class, in a process that has seen none.
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

/** Whether it has no end, so that nobody can wait for it. */
export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  /^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** Whether an answer says something lasting: one that invites another try does not. */
export const isLasting = ({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean =>
  !transient.test(`${status}`) && !headers.has('retry-after') && !isEventStream({ headers })
