import type { Context, MiddlewareHandler } from 'hono'
import { checkLockOptions, type LockOptions as Options, runLocked } from '../http/run-locked.ts'
import { respond, scopeOf } from './adapter.ts'
import { lockVariable, type LockVariables } from './lock-variable.ts'

/** Options of `lock()`. All times are in ms; functions are called with the context. */
export type LockOptions = Options<[c: Context]>

/**
 * Lock Middleware for Hono: at most one request per key runs at a time.
 *
 * The lock is extended while the request runs, and released once the response body has ended, also
 * when the handler throws or the client disconnects. A request that does not get the lock is refused
 * with problem+json and `Retry-After`; `onLocked` and `onUnavailable` replace that.
 *
 * @param {LockOptions} options - The options of the middleware.
 * @param {Redlock} options.redlock - The `Redlock`, or a function of the context.
 * @param {string | string[]} options.key - The resource or resources to lock, or a function of the
 * context; where it returns undefined the request passes without a lock.
 * @param {number} [options.wait=0] - Maximum time to wait for the lock, in ms.
 * @returns {MiddlewareHandler} The middleware handler function.
 * @throws {TypeError | RangeError} when an option is wrong; the message names it.
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
    const variable = lockVariable(c)
    const response = await runLocked(
      scopeOf(options, c),
      limits,
      async (lock) => {
        variable.set(lock)
        // After an Error this resolves, since Hono turns it into a response. Other values are rethrown.
        try {
          await next()
        } finally {
          if (!lock) variable.restore()
        }
        return c.res
      },
      variable.restore,
    )
    return respond(c, response)
  }
}
