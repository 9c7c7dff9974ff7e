import { checkInteger, leastTtl } from '../util/validate.ts'
import { background } from './background.ts'
import { checkRequestOptions, forRequest, type RequestOptions } from './options.ts'
import type { Exchange } from './platform.ts'
import { seconds } from './problem-details.ts'
import { refuse } from './refuse.ts'

export type ThrottleOptions<Args extends readonly unknown[], T> = RequestOptions<Args> & {
  /** Ms in which one request passes. */
  readonly window: number
  /**
   * Decides after the handler whether the pass counts; else the window is free again at once.
   * Default: it does, also where the handler failed. With it, what a handler throws outright does
   * not count, and no window is remembered in the isolate.
   */
  readonly keepIf?: (...request: [...Args, response: T]) => boolean | Promise<boolean>
}

/** Checks at mount what would else fail every request. */
export const checkThrottleOptions = <Args extends readonly unknown[], T>(
  options: ThrottleOptions<Args, T>,
): void => {
  checkRequestOptions(options)
  checkInteger('window', options.window, leastTtl)
}

/** The response with more headers. It is made anew: those of a response that was fetched are fixed. */
const withHeaders = <T>(response: T, headers: Readonly<Record<string, string>>): T | Response => {
  const { body, status } = Object(response) as Response
  // No response, or one that cannot be made anew.
  if (!(response instanceof Response) || status < 200) return response
  const copy = new Response(body, response)
  for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value)
  return copy
}

/**
 * Runs what answers a request if it is the one that passes in its window; or refuses.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/}
 */
export const runThrottled = async <Args extends readonly unknown[], T>(
  options: ThrottleOptions<Args, T>,
  request: Args,
  exchange: Exchange,
  run: () => Promise<T>,
): Promise<T | Response> => {
  const { window, keepIf, failOpen } = options
  const key = await forRequest(options.key, request)
  if (key === undefined) return run()
  const redlock = await forRequest(options.redlock, request)
  const work = background(options, request, exchange)
  const call = { window, failOpen, waitUntil: work.add }
  const limit = (left: number): Record<string, string> => ({
    ratelimit: `"throttle";r=0;t=${seconds(left)}`,
    'ratelimit-policy': `"throttle";q=1;w=${seconds(window)}`,
  })
  const result = await (keepIf ? redlock.pass(key, call) : redlock.throttle(key, call))
  if (!result.ok) {
    const headers = limit(result.retryAfter)
    return refuse(options, request, exchange, work, result, run, 429, headers)
  }
  if (!('lock' in result)) {
    try {
      return withHeaders(await run(), limit(window))
    } finally {
      await work.settled()
    }
  }
  const end = work.open()
  let counts = false
  try {
    const response = await run()
    counts = await keepIf!(...request, response)
    return counts ? withHeaders(response, limit(window)) : response
  } finally {
    await end(counts ? Promise.resolve() : result.lock.release())
  }
}
