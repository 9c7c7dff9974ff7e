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
   * - `request`: the handler returns a `Response`.
   * - `lambda`, a Lambda event: the handler returns an object with `statusCode`.
   * - `h3`, an h3 event: the handler returns a `Response` or data.
   */
  readonly kind: 'request' | 'lambda' | 'h3'
  /** Returns the request of the input, and creates it if the platform did not. */
  readonly request: () => Request
  /** Discards the rest of a payload that was too large, so that the client can reuse the connection. */
  readonly dropRest?: () => void
  /** The URL including the mount path, if it is known. */
  readonly url?: string | undefined
  /** The request itself, if the function receives it and can read its body. */
  readonly own: Request | undefined
}

/** Throws for the arguments of a Node handler, because a Node server ignores what the function returns. */
export const rejectNodeHandler = (input: unknown, env: unknown): void => {
  const { socket } = Object(input) as { socket?: unknown }
  const { on } = Object(socket) as { on?: unknown }
  const { setHeader } = Object(env) as { setHeader?: unknown }
  if (typeof on !== 'function' && typeof setHeader !== 'function') return
  throw new TypeError(
    coded(
      'ERL18',
      'Expected a Request or a Lambda event, got the arguments of a Node handler, as Express passes them: ' +
        'use lock(), throttle() or idempotent() of edge-redlock/node instead',
    ),
  )
}

/** The URL that an h3 2 server received on Node. `withBase` and `mount` change the URL of the request itself. */
const urlOf = (request: Request): string | undefined => {
  const { runtime } = request as { runtime?: { node?: { req?: H3Request } } }
  const { url, originalUrl = url } = runtime?.node?.req ?? {}
  return originalUrl?.startsWith('/') ? `http://h3${originalUrl}` : undefined
}

/**
 * Finds the request in the first argument of a handler. The argument can be a `Request`, an h3 event or a Lambda HTTP
 * event. SvelteKit, Astro, React Router, SolidStart and TanStack Start pass `{ request }`.
 *
 * @throws `TypeError` if there is no request. Other platforms would treat the response to a rejected request as data.
 */
export const inputOf = (input: unknown): PlatformInput => {
  const { request, req } = Object(input) as { readonly request?: unknown; readonly req?: unknown }
  // An h3 2 event has a `req`.
  const own = [input, request, req].find(isMessage) as Request | undefined
  if (own) {
    return { kind: own === req ? 'h3' : 'request', request: () => own, url: urlOf(own), own }
  }
  if (isH3Event(input)) return { kind: 'h3', ...requestOfH3(input), own: undefined }
  checkHttpEvent(input)
  return { kind: 'lambda', request: () => requestOfLambda(input), own: undefined }
}
