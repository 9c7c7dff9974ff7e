import type { Context, Env, MiddlewareHandler } from 'hono'
import { checkLockOptions, type LockOptions as Options, runLocked } from '../http/run-locked.ts'
import type { Lock } from '../lock/lock.ts'
import type { AnyEnv, KeyContext } from './adapter.ts'
import { answer } from './answer.ts'
import { lockVariable, type LockVariables } from './lock-variable.ts'

/**
 * Options of `lock()`. All times are in ms; functions are called with the context.
 *
 * @typeParam E - The Env of the app, which types the context of `key`. Default: that of `redlock`.
 * @typeParam P - The path of the route, which types its parameters for `key`.
 * @typeParam R - The Env of the context of `redlock`.
 */
export type LockOptions<
  E extends Env = AnyEnv,
  P extends string = string,
  R extends Env = AnyEnv,
> = Options<[c: Context], [c: Context<R>], [c: KeyContext<E, P, R>]>

/** The contexts have several types only for the caller. */
type OwnOptions = Options<[c: Context]>

/**
 * Lock Middleware for Hono: at most one request per key runs at a time.
 *
 * The lock is extended while the request runs, and released once the response body has ended, also
 * when the handler throws or the client disconnects. A request that does not get the lock is refused
 * with problem+json and `Retry-After`; `onLocked` and `onUnavailable` replace that.
 *
 * @param given - The options of the middleware.
 * @returns The middleware.
 * @throws `TypeError` or `RangeError` when an option is wrong; the message names it.
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
export const lock = <E extends Env = AnyEnv, P extends string = string, R extends Env = AnyEnv>(
  given: LockOptions<E, P, R>,
): MiddlewareHandler<{ Variables: LockVariables }> => {
  const limits = checkLockOptions('lock()', given as unknown as OwnOptions)
  return async function lock(c, next) {
    const variable = lockVariable(c)
    const run = async (lock: Lock | undefined): Promise<Response> => {
      variable.set(lock)
      // After an Error this resolves, since Hono turns it into a response. Other values are rethrown.
      await next()
      return c.res
    }
    return answer(c, given as unknown as OwnOptions, (scope) =>
      runLocked(scope, limits, run, variable.restore),
    )
  }
}
