import type { Context, MiddlewareHandler } from 'hono'
import { checkLockOptions, type LockOptions as Options, runLocked } from '../http/run-locked.ts'
import type { Lock } from '../lock/lock.ts'
import { exchangeOf, respond } from './adapter.ts'

/**
 * What `lock()` puts into the context: undefined where `key` skipped the request, or `failOpen` let
 * it pass.
 */
export type LockVariables = { lock: Lock | undefined }

export type LockOptions = Options<[c: Context]>

/**
 * Lock Middleware for Hono: at most one request per key runs at a time.
 *
 * The lock is held until the response body has ended, extended for as long as that takes, and
 * then released, also when the handler throws or the client disconnects.
 *
 * @param {LockOptions} options - The options of the middleware.
 * @param {Redlock} options.redlock - The `Redlock`, or a function of the context.
 * @param {string} options.key - What to lock, or a function of the context; undefined skips.
 * @param {number} [options.wait=0] - Ms to wait for the lock at most.
 * @returns {MiddlewareHandler} The middleware handler function. It answers 409 when the lock is
 * held and 503 when too few nodes can be reached, both with `Retry-After` and problem+json.
 *
 * @example
 * ```ts
 * const app = new Hono()
 * const redlock = (c: Context) => Redlock.fromEnv(c.env)
 *
 * app.post('/grade/:id', lock({ redlock, key: (c) => lockKey('grade', c.req.param('id')!) }), (c) => {
 *   c.var.lock?.signal // aborts when the lock is lost
 *   return c.text('graded')
 * })
 * ```
 */
export const lock = (options: LockOptions): MiddlewareHandler<{ Variables: LockVariables }> => {
  const limits = checkLockOptions(options)
  return async function lock(c, next) {
    const outer = c.get('lock')
    const response = await runLocked(options, limits, [c], exchangeOf(c), async (lock) => {
      c.set('lock', lock)
      // Resolves for an Error too: Hono has made it a response by then. Other values are thrown on.
      await next()
      c.set('lock', outer)
      return c.res
    })
    return respond(c, response)
  }
}
