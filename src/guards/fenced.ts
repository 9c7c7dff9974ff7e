import type { Context, MiddlewareHandler } from 'hono'
import { problemJson } from '../http/problem-details.ts'
import { checkFunctions, checkInteger, expect } from '../util/validate.ts'
import { type Guard, isStaleTokenError } from './guard.ts'

const header = 'fencing-token'

/**
 * The header that tells a service with which token it is asked.
 *
 * @throws {RangeError | TypeError} when it is no token.
 * @example
 * ```ts
 * await fetch(url, { method: 'PUT', body, headers: { ...fenceHeaders(await lock.fence()) } })
 * ```
 */
export const fenceHeaders = (token: number): { readonly 'fencing-token': string } => {
  checkInteger('token', token, 0, Number.MAX_SAFE_INTEGER)
  return { [header]: `${token}` }
}

/** What `fenced` puts into the context: the token of the request. */
export type FenceVariables = { readonly fence: number }

export type FencedOptions = {
  /** Is asked before the handler. Without it, the handler itself is to use `c.var.fence`. */
  readonly guard?: Guard
  /** What is being written to, for the guard. */
  readonly resource?: string | ((c: Context) => string)
}

/** The token in a header; undefined where it is none. */
const readToken = (text: string): number | undefined =>
  /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/**
 * Fencing Middleware for Hono, for the service that is written to. A request without a token is
 * answered by 428, with a broken one by 400, with a stale one by 412, each as problem+json; also
 * where the handler finds out, by a `StaleTokenError`.
 *
 * With a `guard` it asks that before the handler. Between the two a later holder may still come in,
 * so use the token where the write is as well, if that is a store that can check it: in one
 * transaction by `sqlGuard`, or by `redisGuard`.
 *
 * @throws {TypeError} when one of `guard` and `resource` is given without the other.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6585#section-3}
 * @example
 * ```ts
 * app.put('/reports/:id', fenced(), async (c) => {
 *   await guard.run(`report:${c.req.param('id')}`, c.var.fence, (check) => save(check, c))
 *   return c.body(null, 204)
 * })
 * ```
 */
export const fenced = ({ guard, resource }: FencedOptions = {}): MiddlewareHandler<{
  Variables: FenceVariables
}> => {
  expect(!guard === !resource, 'resource', 'given with a guard, and only then', resource)
  if (guard) checkFunctions({ 'guard.advance': guard.advance })
  const stale = (): Response =>
    problemJson(412, 'Precondition Failed', 'A later holder of the lock has been here')
  return async function fenced(c, next) {
    const text = c.req.header(header)
    if (text === undefined) {
      return problemJson(428, 'Precondition Required', 'Send the fencing token of the lock')
    }
    const token = readToken(text)
    if (token === undefined) return problemJson(400, 'Bad Request', 'The fencing token is none')
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
    // Hono keeps what a handler throws.
    if (isStaleTokenError(c.error)) c.res = stale()
    return undefined
  }
}
