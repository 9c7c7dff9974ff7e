import { checkTime, minTtl } from '../util/validate.ts'
import { backgroundOf } from './background.ts'
import { checkRequestOptions, forRequest, redlockFor, type RequestOptions } from './options.ts'
import { seconds } from './problem-details.ts'
import { refuse } from './refuse.ts'
import { callWithin, locksOf } from './request-locks.ts'
import type { RequestScope } from './request-scope.ts'

export type ThrottleOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, RedlockArgs, KeyArgs> & {
  /** The time in which one request passes, in ms. */
  readonly window: number
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
  checkRequestOptions(call, options, ['window', 'keepIf'])
  checkTime('window', options.window, minTtl)
}

/** Sets headers of a response, or of a copy where they are immutable, as those of a fetched response. */
const withHeaders = <T>(response: T, headers: Readonly<Record<string, string>>): T | Response => {
  // A 101 response cannot be copied, and on Lambda the result may be no Response.
  if (!(response instanceof Response) || response.status < 200) return response
  const set = (to: Response): Response => {
    for (const [name, value] of Object.entries(headers)) to.headers.set(name, value)
    return to
  }
  try {
    return set(response)
  } catch {
    return set(new Response(response.body, response))
  }
}

/**
 * Answers a request by `run` if it is the one that passes in its window, or refuses it. Both
 * responses report the limit in `RateLimit` headers.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const runThrottled = async <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, ThrottleOptions<Args, T>>,
  run: () => Promise<T>,
): Promise<T | Response> => {
  const { options, args, ids } = scope
  const { window, keepIf, failOpen } = options
  const heldLocks = locksOf(ids)
  const runWithin = (): Promise<T> => callWithin(heldLocks, run)
  const key = await forRequest(options.key, args)
  if (key === undefined) return runWithin()
  const redlock = await redlockFor(options, args)
  const background = backgroundOf(scope)
  const call = { window, failOpen, waitUntil: background.add }
  const rateLimit = (resetAfter: number): Record<string, string> => ({
    ratelimit: `"throttle";r=0;t=${seconds(resetAfter)}`,
    'ratelimit-policy': `"throttle";q=1;w=${seconds(window)}`,
  })
  const result = await (keepIf ? redlock.acquireWindow(key, call) : redlock.passWindow(key, call))
  if (!('lock' in result)) {
    try {
      if (result.ok) return withHeaders(await runWithin(), rateLimit(window))
      return await refuse(scope, result, {
        kind: 'throttled',
        detail: `Only one request per ${window / 1000} s is allowed. Please try again later.`,
        pass: runWithin,
        headers: rateLimit(result.retryAfter),
      })
    } finally {
      await background.settled()
    }
  }
  const finish = background.holdOpen()
  let counts = false
  try {
    const response = await runWithin()
    counts = await keepIf!(...args, response)
    return counts ? withHeaders(response, rateLimit(window)) : response
  } finally {
    await finish(counts ? Promise.resolve() : result.lock.release())
  }
}
