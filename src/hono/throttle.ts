import type { MiddlewareHandler } from 'hono'
import { background } from '../http/background.ts'
import { seconds } from '../http/problem.ts'
import { checkInteger } from '../expect.ts'
import { checkRequestOptions, forRequest, type RequestOptions, waitUntilOf } from './context.ts'
import { refuse, type RefusalOptions } from './response.ts'

export type ThrottleOptions = RequestOptions &
  RefusalOptions & {
    /** Ms in which one request passes. */
    readonly window: number
  }

/**
 * Throttle Middleware for Hono: one request per key and window passes.
 *
 * @param {ThrottleOptions} options - The options of the middleware.
 * @param {Redlock} options.redlock - The `Redlock`, or a function of the context.
 * @param {string} options.key - What to throttle, or a function of the context; undefined skips.
 * @param {number} options.window - Ms in which one request passes.
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
  const { window } = options
  checkRequestOptions(options)
  checkInteger('window', window)
  return async function throttle(c, next) {
    const key = await forRequest(c, options.key)
    if (key === undefined) return next()
    const redlock = await forRequest(c, options.redlock)
    const work = background(waitUntilOf(c))
    const result = await redlock.throttle(key, { window, waitUntil: work.add })
    if (result.ok) return next()
    await work.settled()
    return refuse(c, result, options, 429, {
      ratelimit: `"throttle";r=0;t=${seconds(result.retryAfter)}`,
      'ratelimit-policy': `"throttle";q=1;w=${seconds(window)}`,
    })
  }
}
