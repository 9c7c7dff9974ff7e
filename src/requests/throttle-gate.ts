import type { Lock } from '../core/lock/lock.ts'
import { passToKeep, takePass } from '../client/throttle.ts'
import { checkFunction, checkTime, minTtl, warnOfSeconds } from '../util/validate.ts'
import { discard } from './discard.ts'
import { seconds } from './problem-details.ts'
import { throttleRejections, type ThrottleReason } from './rejections.ts'
import { checkRequestOptions, keyChecks, type RequestOptions } from './request-options.ts'
import { withFields } from './with-headers.ts'
import { type Gate, keyedGate, setEndAside } from './with-request.ts'

export type ThrottleGateOptions<
  Args extends readonly unknown[],
  T,
  RedlockArgs extends readonly unknown[] = Args,
  KeyArgs extends readonly unknown[] = Args,
> = RequestOptions<Args, ThrottleReason, RedlockArgs, KeyArgs> & {
  /** The time in which at most `limit` requests pass, in ms. */
  readonly window: number
  /**
   * Decides after the handler whether the pass counts. To read the body, use `response.clone()`. If the pass does not
   * count, the window is freed immediately. With `countIf`, a pass whose handler throws does not count, and the
   * isolate does not cache closed windows. Default: every pass counts, even if the handler throws.
   */
  readonly countIf?: (response: T, ...request: Args) => boolean | Promise<boolean>
}

const checks = {
  ...keyChecks,
  window: (option: string, given: number) => checkTime(option, given, minTtl),
  countIf: checkFunction,
}

/**
 * Lets at most `limit` requests per key pass in each window. Responses to requests that count, and rejections of
 * further requests, report the limit in `RateLimit` headers.
 *
 * @param call - The name of the public function that received the options, for error messages.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const throttleGate = <Args extends readonly unknown[], T>(
  call: string,
  options: ThrottleGateOptions<Args, T>,
): Gate<Args> => {
  checkRequestOptions(call, options, throttleRejections, checks, 'key', 'window')
  const { window, limit = 1, countIf } = options
  const detail = `Too many requests: the limit is ${limit} per ${window / 1000} s. Please try again later.`
  const rateLimit = (resetAfter: number, remaining = 0) => ({
    ratelimit: `"throttle";r=${remaining};t=${seconds(resetAfter)}`,
    'ratelimit-policy': `"throttle";q=${limit};w=${seconds(window)}`,
  })
  return keyedGate('throttle', options, throttleRejections, async (visit, key, client) => {
    const { scope, waitUntil } = visit
    warnOfSeconds(client, options)
    const result = await (countIf ? passToKeep : takePass)(client, key, { ...options, waitUntil })
    if (!result.ok) {
      if (result.reason === 'unavailable') return result
      return { ...result, reason: 'throttled', detail, headers: rateLimit(result.retryAfter) }
    }
    const { lock, remaining } = result as { lock?: Lock; remaining?: number }
    const finish = lock ? visit.keepAlive() : visit.drain
    const takeBack = lock && setEndAside(client)
    const fields = rateLimit(window, remaining)
    let counts = !countIf
    let response: Response | undefined
    try {
      const isAnnounced = counts && scope.announce?.(fields)
      response = await visit.handle()
      counts ||= await countIf!(scope.returned(response) as T, ...scope.args)
      if (counts && !isAnnounced) response = withFields(response, fields)
      return { response, isOwn: true }
    } catch (error) {
      discard(response)
      throw error
    } finally {
      takeBack?.()
      await finish(counts || lock?.release())
    }
  })
}
