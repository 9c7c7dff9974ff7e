import type { Context, Env, MiddlewareHandler } from 'hono'
import {
  checkThrottleOptions,
  runThrottled,
  type ThrottleOptions as Options,
} from '../http/run-throttled.ts'
import type { AnyEnv, KeyContext } from './adapter.ts'
import { answer } from './answer.ts'

/**
 * Options of `throttle()`. All times are in ms; functions are called with the context.
 *
 * @typeParam E - The Env of the app, which types the context of `key`. Default: that of `redlock`.
 * @typeParam P - The path of the route, which types its parameters for `key`.
 * @typeParam R - The Env of the context of `redlock`.
 */
export type ThrottleOptions<
  E extends Env = AnyEnv,
  P extends string = string,
  R extends Env = AnyEnv,
> = Options<[c: Context], Response, [c: Context<R>], [c: KeyContext<E, P, R>]>

/** The contexts have several types only for the caller. */
type OwnOptions = Options<[c: Context], Response>

/**
 * Throttle Middleware for Hono: one request per key and window passes.
 *
 * Responses report the limit in `RateLimit` headers. A request inside the window is refused with
 * problem+json and `Retry-After`; `onLocked` and `onUnavailable` replace that.
 *
 * @param given - The options of the middleware.
 * @returns The middleware.
 * @throws `TypeError` or `RangeError` when an option is wrong; the message names it.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 *
 * @example
 * ```ts
 * app.post(
 *   '/submit',
 *   throttle({ redlock, key: (c) => lockKey('submit', c.var.userId), window: 5_000 }),
 *   (c) => c.text('submitted', 202),
 * )
 * ```
 */
export const throttle = <E extends Env = AnyEnv, P extends string = string, R extends Env = AnyEnv>(
  given: ThrottleOptions<E, P, R>,
): MiddlewareHandler => {
  checkThrottleOptions('throttle()', given as unknown as OwnOptions)
  return async function throttle(c, next) {
    const run = async (): Promise<Response> => {
      await next()
      return c.res
    }
    return answer(c, given as unknown as OwnOptions, (scope) => runThrottled(scope, run))
  }
}
