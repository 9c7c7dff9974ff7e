import { checkHttpEvent, requestOf as requestOfLambda } from '../lambda/event.ts'
import { isMessage } from '../../util/thrown-answer.ts'
import { type H3Request, isH3Event } from './h3-event.ts'
import { requestOfH3 } from './h3-request.ts'
import { coded } from '../../util/codes.ts'

/** The first argument of a function that a platform calls. */
export type PlatformInput = {
  /**
   * The kind of the input, which decides the valid results.
   *
   * - `request`: a Response.
   * - `lambda`, an event of Lambda: an object with `statusCode`.
   * - `h3`, an event of h3: a Response or data.
   */
  readonly kind: 'request' | 'lambda' | 'h3'
  /** The request of the input. If the platform made none, it is made when it is read. */
  readonly request: () => Request
  /** Reads the rest of a payload that was too large, so that the connection can be used again. */
  readonly dropRest?: () => void
  /** The URL before the path of a mount was removed from it, if it is known. */
  readonly url?: string | undefined
  /** The request itself, if the function gets it and may read its body. */
  readonly own: Request | undefined
}

/** Rejects the arguments of a Node handler, since the server of Node ignores the result of the function. */
export const rejectNodeHandler = (input: unknown, env: unknown): void => {
  const { socket } = Object(input) as { socket?: unknown }
  const { on } = Object(socket) as { on?: unknown }
  const { setHeader } = Object(env) as { setHeader?: unknown }
  if (typeof on !== 'function' && typeof setHeader !== 'function') return
  throw new TypeError(
    coded(
      'ERL18',
      'Expected a Request or an event of Lambda, got the arguments of a handler of Node, as Express passes: ' +
        'use lock(), throttle() or idempotent() of edge-redlock/node instead',
    ),
  )
}

/** The URL that the server of h3 2 received on Node, since `withBase` and `mount` change the URL of the request. */
const urlOf = (request: Request): string | undefined => {
  const { runtime } = request as { runtime?: { node?: { req?: H3Request } } }
  const { url, originalUrl = url } = runtime?.node?.req ?? {}
  return originalUrl?.startsWith('/') ? `http://h3${originalUrl}` : undefined
}

/**
 * Finds the request in the first argument of a handler. The argument may be a `Request`, an event of h3, or an HTTP
 * event of Lambda. SvelteKit, Astro, React Router, SolidStart and TanStack Start pass `{ request }`.
 *
 * @throws `TypeError` if there is none. A platform that expects another type would take a rejection for data.
 */
export const inputOf = (input: unknown): PlatformInput => {
  const { request, req } = Object(input) as { readonly request?: unknown; readonly req?: unknown }
  // `req`: an event of h3 2.
  const own = [input, request, req].find(isMessage) as Request | undefined
  if (own) {
    return { kind: own === req ? 'h3' : 'request', request: () => own, url: urlOf(own), own }
  }
  if (isH3Event(input)) return { kind: 'h3', ...requestOfH3(input), own: undefined }
  checkHttpEvent(input)
  return { kind: 'lambda', request: () => requestOfLambda(input), own: undefined }
}
