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
  /** The time in which one request passes, in ms. */
  readonly window: number
  /**
   * Decides after the handler whether the pass counts. To read the body, read that of `response.clone()`. If the pass
   * does not count, the window is freed immediately. With `countIf`, a pass whose handler throws does not count, and
   * closed windows are not cached in the isolate. Default: every pass counts, even if the handler throws.
   */
  readonly countIf?: (response: T, ...request: Args) => boolean | Promise<boolean>
}

const checks = {
  ...keyChecks,
  window: (option: string, given: number) => checkTime(option, given, minTtl),
  countIf: checkFunction,
}

/**
 * Lets one request per key and window pass. Its response, and the responses to rejected requests, report the limit in
 * `RateLimit` headers.
 *
 * @param call - The name of the function that was called with the options.
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const throttleGate = <Args extends readonly unknown[], T>(
  call: string,
  options: ThrottleGateOptions<Args, T>,
): Gate<Args> => {
  checkRequestOptions(call, options, throttleRejections, checks, 'key', 'window')
  const { window, limit = 1, countIf } = options
  const detail = `Only ${limit} per ${window / 1000} s can pass. Please try again later.`
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
