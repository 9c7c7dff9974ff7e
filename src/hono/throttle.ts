import type { Context, MiddlewareHandler } from 'hono'
import {
  checkThrottleOptions,
  runThrottled,
  type ThrottleOptions as Options,
} from '../http/run-throttled.ts'
import { exchangeOf, respond } from './adapter.ts'

export type ThrottleOptions = Options<[c: Context], Response>

/**
 * Throttle Middleware for Hono: one request per key and window passes.
 *
 * @param {ThrottleOptions} options - The options of the middleware.
 * @param {Redlock} options.redlock - The `Redlock`, or a function of the context.
 * @param {string} options.key - What to throttle, or a function of the context; undefined skips.
 * @param {number} options.window - Ms in which one request passes.
 * @param {Function} [options.keepIf] - Decides after the handler whether the pass counts.
 * @returns {MiddlewareHandler} The middleware handler function. It answers 429 inside the window,
 * with `Retry-After`, `RateLimit` and problem+json, and 503 when too few nodes can be reached.
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
export const throttle = (options: ThrottleOptions): MiddlewareHandler => {
  checkThrottleOptions(options)
  return async function throttle(c, next) {
    const response = await runThrottled(options, [c], exchangeOf(c), async () => {
      await next()
      return c.res
    })
    return respond(c, response)
  }
}
