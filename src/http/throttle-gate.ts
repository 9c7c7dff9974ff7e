import { checkFunction, checkTime, minTtl } from '../util/validate.ts'
import { type Key, keyOf, refused } from './key-gate.ts'
import { seconds } from './problem-details.ts'
import { throttleRefusals, type ThrottleReason } from './refusals.ts'
import { checkRequestOptions, keyChecks, type RequestOptions } from './request-options.ts'
import type { Gate } from './with-request.ts'

export type ThrottleOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, ThrottleReason, RedlockArgs, KeyArgs> & {
  /** The time in which one request passes, in ms. */
  readonly window: number
  /**
   * Decides after the handler whether the pass counts. If it does not, the window is freed at once.
   * With `countIf`, a pass whose handler throws does not count, and closed windows are not cached in
   * the isolate. Default: every pass counts, also when the handler throws.
   */
  readonly countIf?: (response: T, ...request: Args) => boolean | Promise<boolean>
}

const checks = {
  ...keyChecks,
  window: (option: string, given: number) => checkTime(option, given, minTtl),
  countIf: checkFunction,
}

/**
 * Lets one request per key and window pass. Its response and that of a refused request report the limit
 * in `RateLimit` headers.
 *
 * @param call - The function that was called with the options.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const throttleGate = <Args extends readonly unknown[], T>(
  call: string,
  options: ThrottleOptions<Args, T>,
): Gate<Args, Key> => {
  checkRequestOptions(call, options, throttleRefusals, checks, 'key', 'window')
  const { window, limit, failOpen, countIf } = options
  const quota = limit ?? 1
  const detail = `Only ${quota} per ${window / 1000} s can pass. Please try again later.`
  const rateLimit = (resetAfter: number, remaining = 0) => ({
    ratelimit: `"throttle";r=${remaining};t=${seconds(resetAfter)}`,
    'ratelimit-policy': `"throttle";q=${quota};w=${seconds(window)}`,
  })
  return {
    name: 'throttle',
    options,
    refusals: throttleRefusals,
    keyOf: keyOf(options),
    enter: async (visit, key, redlock) => {
      const { scope, background } = visit
      const { waitUntil } = background
      const call = { window, limit, failOpen, waitUntil }
      const result = await redlock[countIf ? 'acquireWindow' : 'passWindow'](key, call)
      if (!result.ok) {
        const headers = rateLimit(result.retryAfter)
        return refused(visit, result, failOpen, 'throttled', { detail }, headers)
      }
      const lock = 'lock' in result ? result.lock : undefined
      const finish = lock ? background.keepAlive() : background.drain
      return {
        hasEntered: true,
        outcome: 'passed',
        answer: async () => {
          let counts = !countIf
          try {
            const response = await visit.handle()
            counts ||= await countIf!((scope.returned?.(response) ?? response) as T, ...scope.args)
            return visit.own(response, counts ? rateLimit(window, result.remaining) : undefined)
          } finally {
            await finish(counts || lock?.release())
          }
        },
      }
    },
  }
}
