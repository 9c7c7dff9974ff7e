/** @ts-ignore -- hono is optional: without it, `edge-redlock/guards` still has its other types. */
import type { Context, MiddlewareHandler } from 'hono'
import { problem } from '../requests/problem-details.ts'
import { checkFunction, checkInteger, checkOptions, assertOption } from '../util/validate.ts'
import { type Guard, isStaleTokenError } from './guard.ts'
import { type Code, problemType } from '../util/codes.ts'

const header = 'fencing-token'

/**
 * Creates the header that sends a fencing token to a service with `fenced()`.
 *
 * @param token - The fencing token of the lock: an integer of at least 0.
 * @returns an object with the `fencing-token` header.
 * @throws `RangeError` or `TypeError` if `token` is not an integer of at least 0.
 * @example
 * ```ts
 * await fetch(url, { method: 'PUT', body, headers: { ...fenceHeaders(await lock.fencingToken()) } })
 * ```
 */
export const fenceHeaders = (token: number): { readonly 'fencing-token': string } => {
  checkInteger('token', token, 0, Number.MAX_SAFE_INTEGER)
  return { [header]: `${token}` }
}

/** The context variables that `fenced()` sets: the fencing token of the request. */
export type FenceVariables = { readonly fence: number }

/** Options of `fenced()`. Set both or neither. */
export type FencedOptions = {
  /** Checks the token before the handler runs. Without it, the handler must check `c.var.fence`. */
  readonly guard?: Guard
  /**
   * The name of the data that the request writes, at most 512 characters; or a function that returns the name for a
   * context.
   */
  readonly resource?: string | ((c: Context) => string)
}

/** Parses the token in a header; undefined if it is invalid. */
const readToken = (text: string): number | undefined =>
  /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/**
 * Fencing Middleware for Hono, for a service to which lock holders write.
 *
 * The middleware responds with problem+json: 428 to a request without a fencing token, 400 to an invalid token, and
 * 412 to a stale one. A token is stale if the guard or the handler throws a `StaleTokenError`.
 *
 * A `guard` checks the token before the handler runs, so a later holder can still write between that check and the
 * handler's own write. If the store can check the token together with the write, do that too: in one transaction with
 * `sqlGuard`, or with `redisGuard`.
 *
 * @param options - A `guard` with its `resource`; omit both if the handler checks the token itself.
 * @returns the middleware. It sets `c.var.fence` to the token of the request.
 * @throws `TypeError` if only one of `guard` and `resource` is set, or `guard` is not a guard.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6585#section-3}
 * @example
 * ```ts
 * app.put('/reports/:id', fenced(), async (c) => {
 *   await guard.run(`report:${c.req.param('id')}`, c.var.fence, (check) => save(check, c))
 *   return c.body(null, 204)
 * })
 * ```
 */
export const fenced = (
  options: FencedOptions = {},
): MiddlewareHandler<{ Variables: FenceVariables }> => {
  checkOptions('fenced()', options, 'guard, resource')
  const { guard, resource } = options
  assertOption(!guard === !resource, 'resource', 'given with a guard, and only then', resource)
  if (guard) checkFunction('guard.advance', guard.advance)
  return async (c, next) => {
    const reject = (code: Code, status: number, title: string, detail: string): Response =>
      problem({ type: problemType(code), status, title, detail })
    const stale = (): Response =>
      reject('ERL07', 412, 'Precondition Failed', 'The data has been changed under a newer lock')
    const text = c.req.header(header)
    if (text === undefined) {
      return reject(
        'ERL08',
        428,
        'Precondition Required',
        `The request needs the header ${header} with the token of its lock`,
      )
    }
    const token = readToken(text)
    if (token === undefined)
      return reject('ERL08', 400, 'Bad Request', `The header ${header} must be a whole number`)
    c.set('fence', token)
    if (guard) {
      const name = typeof resource === 'function' ? resource(c) : resource!
      try {
        await guard.advance(name, token)
      } catch (error) {
        if (isStaleTokenError(error)) return stale()
        throw error
      }
    }
    await next()
    // Hono catches the handler's error and stores it in the context.
    if (isStaleTokenError(c.error)) c.res = stale()
    return undefined
  }
}
