import { checkFunction, checkTime, minTtl } from '../util/validate.ts'
import { checkRequestOptions, type RequestOptions } from './options.ts'
import { seconds } from './problem-details.ts'
import type { RequestScope } from './request-scope.ts'
import type { Headers } from './with-headers.ts'
import { withRequest } from './with-request.ts'

export type ThrottleOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, RedlockArgs, KeyArgs> & {
  /** The time in which one request passes, in ms. */
  readonly window: number
  /** How many requests pass in it. It needs `withSlots` of `edge-redlock/slots`. Default: 1. */
  readonly limit?: number
  /**
   * Decides after the handler whether the pass counts. If it does not, the window is freed at once.
   * With `countIf`, a pass whose handler throws does not count, and closed windows are not cached in
   * the isolate. Default: every pass counts, also when the handler throws.
   */
  readonly countIf?: (...request: [...Args, response: T]) => boolean | Promise<boolean>
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const checkThrottleOptions = <Args extends readonly unknown[], T>(
  call: string,
  options: ThrottleOptions<Args, T>,
): void => {
  checkRequestOptions(call, options, { window: undefined, countIf: checkFunction })
  checkTime('window', options.window, minTtl)
}

/**
 * Answers a request by `run` if it passes in its window, or refuses it. Both responses
 * report the limit in `RateLimit` headers.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const runThrottled = <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, ThrottleOptions<Args, T>>,
  run: () => Promise<T>,
): Promise<T | Response> => {
  const { window, limit = 1, countIf } = scope.options
  const rateLimit = (resetAfter: number, remaining = 0): Headers => ({
    ratelimit: `"throttle";r=${remaining};t=${seconds(resetAfter)}`,
    'ratelimit-policy': `"throttle";q=${limit};w=${seconds(window)}`,
  })
  return withRequest(scope, run, {
    name: 'throttle',
    passed: 'passed',
    enter: (redlock, key, call) =>
      redlock[countIf ? 'acquireWindow' : 'passWindow'](key, { ...call, window }),
    problem: [
      429,
      'Too Many Requests',
      `Only ${limit} per ${window / 1000} s can pass. Please try again later.`,
    ],
    headers: rateLimit,
    answer: async (result, handle, send, finish) => {
      let counts = false
      try {
        const response = await handle()
        counts = !countIf || (await countIf(...scope.args, response))
        return send(response, counts ? rateLimit(window, result.remaining) : undefined)
      } finally {
        await finish(counts || result.lock?.release())
      }
    },
  })
}
