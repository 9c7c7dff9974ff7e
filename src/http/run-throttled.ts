import { checkInteger, checkTime, maxLimit, minTtl } from '../util/validate.ts'
import { backgroundOf } from './background.ts'
import { clientAndKey } from './client-and-key.ts'
import { checkRequestOptions, type RequestOptions } from './options.ts'
import { seconds } from './problem-details.ts'
import { refuse } from './refuse.ts'
import { callWithin, locksOf } from './request-locks.ts'
import type { RequestScope } from './request-scope.ts'
import { serverTiming } from './server-timing.ts'
import { withHeaders } from './with-headers.ts'

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
   * With `keepIf`, a pass whose handler throws does not count, and closed windows are not cached in
   * the isolate. Default: every pass counts, also when the handler throws.
   */
  readonly keepIf?: (...request: [...Args, response: T]) => boolean | Promise<boolean>
}

/** Checks options once, when the middleware is created, rather than at its first request. */
export const checkThrottleOptions = <Args extends readonly unknown[], T>(
  call: string,
  options: ThrottleOptions<Args, T>,
): void => {
  checkRequestOptions(call, options, ['window', 'limit', 'keepIf'])
  checkTime('window', options.window, minTtl)
  checkInteger('limit', options.limit ?? 1, 1, maxLimit)
}

/**
 * Answers a request by `run` if it passes in its window, or refuses it. Both responses
 * report the limit in `RateLimit` headers.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const runThrottled = async <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, ThrottleOptions<Args, T>>,
  run: () => Promise<T>,
): Promise<T | Response> => {
  const { options, args, ids } = scope
  const { window, limit = 1, keepIf, failOpen } = options
  const heldLocks = locksOf(ids)
  const runWithin = (): Promise<T> => callWithin(heldLocks, run)
  const [redlock, key] = await clientAndKey(scope)
  if (key === null) return runWithin()
  const background = backgroundOf(scope)
  const call = { window, limit: options.limit, failOpen, waitUntil: background.add }
  const rateLimit = (resetAfter: number, remaining = 0): Record<string, string> => ({
    ratelimit: `"throttle";r=${remaining};t=${seconds(resetAfter)}`,
    'ratelimit-policy': `"throttle";q=${limit};w=${seconds(window)}`,
  })
  const timing = serverTiming(options.serverTiming)
  const result = await (keepIf ? redlock.acquireWindow(key, call) : redlock.passWindow(key, call))
  const took = timing('throttle', result.ok ? 'passed' : result.reason)
  if (!('lock' in result)) {
    try {
      if (result.ok) {
        const response = await runWithin()
        const headers = { ...rateLimit(window, result.remaining), ...took }
        return withHeaders(response, headers, scope.isComplete?.(response))
      }
      const refused = await refuse(scope, result, {
        kind: 'throttled',
        detail: `Only ${limit > 1 ? limit : 'one'} per ${window / 1000} s can pass. Please try again later.`,
        pass: runWithin,
        headers: rateLimit(result.retryAfter),
      })
      return withHeaders(refused, took)
    } finally {
      await background.settled()
    }
  }
  const finish = background.holdOpen()
  let counts = false
  try {
    const response = await runWithin()
    counts = await keepIf!(...args, response)
    return withHeaders(
      response,
      counts ? { ...rateLimit(window, result.remaining), ...took } : took,
    )
  } finally {
    await finish(counts ? Promise.resolve() : result.lock.release())
  }
}
