import type { Lock } from '../lock/lock.ts'
import type { AcquireCallOptions } from '../options/call-options.ts'
import type { Redlock } from '../redlock.ts'
import type { Refusal } from '../reports/results.ts'
import { assertOption } from '../util/validate.ts'
import { backgroundOf } from './background.ts'
import { checkedRedlock, forRequest, type PerRequest, type RequestOptions } from './options.ts'
import { type Problem, problem } from './problem-details.ts'
import { callWithin, locksOf } from './request-locks.ts'
import type { RequestScope } from './request-scope.ts'
import { type Headers, withHeaders } from './with-headers.ts'

const outage: Why = {
  problem: [503, 'Service Unavailable', 'Temporarily unavailable. Please try again in a moment.'],
}

/** The options that the frame reads. */
type GateOptions<Args extends readonly unknown[]> = RequestOptions<Args> & {
  readonly limit?: number
  readonly metadata?: PerRequest<string, Args>
}

/** Why a request is refused, and further headers that say so. */
type Why = {
  readonly problem: Problem
  readonly headers?: (retryAfter: number) => Headers
}

/** A request that has entered: with a lock, or in a window, where so many more can pass. */
type Entered = { readonly ok: true; readonly lock?: Lock; readonly remaining?: number }

/** What a request has to pass before its handler runs; and why it does not while others hold the key. */
type Gate<T> = Why & {
  readonly name: 'lock' | 'throttle'
  /** What `Server-Timing` says of a request that has entered. */
  readonly passed: string
  readonly enter: (
    redlock: Redlock,
    key: string | readonly string[],
    call: Pick<AcquireCallOptions, 'limit' | 'failOpen' | 'metadata' | 'waitUntil'>,
    held: readonly Lock[],
  ) => Promise<Entered | Refusal>
  /**
   * Answers a request that has entered.
   *
   * @param handle - Runs the handler.
   * @param send - Adds headers to its response, `Server-Timing` among them.
   * @param finish - Takes the last work of the request, and resolves as soon as the response may be sent.
   * @param held - The locks that the request holds.
   */
  readonly answer: (
    result: Entered,
    handle: (lock?: Lock) => Promise<T>,
    send: (response: T, headers?: Headers) => T | Response,
    finish: (last: unknown) => Promise<unknown>,
    held: Lock[],
  ) => Promise<T | Response>
}

/**
 * Answers a request by a gate: with its handler, which `run` calls, or with a refusal. A request whose
 * key is null, or that may pass where no quorum was reached, runs its handler without a lock.
 */
export const withRequest = async <Args extends readonly unknown[], T>(
  scope: RequestScope<Args, GateOptions<Args>>,
  run: (lock: Lock | undefined) => Promise<T>,
  gate: Gate<T>,
): Promise<T | Response> => {
  const { options, args } = scope
  const { limit, failOpen } = options
  const held = locksOf(scope.ids)
  const handle = (lock?: Lock): Promise<T> => callWithin(held, () => run(lock))
  const key = await forRequest(options.key, args)
  // A mistake, such as a header that is missing.
  assertOption(key !== undefined, 'key', 'text, an array or null', key)
  const redlock = checkedRedlock(await forRequest(options.redlock, args))
  if (key === null) {
    redlock.client().emit?.({ type: 'skipped', keys: [] })
    return handle()
  }
  const metadata = await forRequest(options.metadata, args)
  const [waitUntil, holdOpen, settled] = backgroundOf(scope)
  const begun = performance.now()
  const call = { limit, failOpen, metadata, waitUntil }
  const result = await gate.enter(redlock, key, call, held)
  const outcome = result.ok ? gate.passed : result.reason
  const took = (performance.now() - begun).toFixed(1)
  // https://www.w3.org/TR/server-timing/
  const timing = options.serverTiming && `${gate.name};desc="${outcome}";dur=${took}`
  const send = (response: T | Response, headers?: Headers): T | Response =>
    withHeaders(response, timing, headers, scope.isComplete?.(response))
  if (result.ok) {
    return gate.answer(result, handle, send, result.lock ? holdOpen() : settled, held)
  }
  try {
    const isLocked = result.reason === 'locked'
    const handler = isLocked ? options.onLocked : options.onUnavailable
    if (failOpen && !isLocked) return send(await handle())
    if (handler) return send(await handler(...args, result))
    const { problem: why, headers } = isLocked ? gate : outage
    const { retryAfter } = result
    return send(problem(why, scope.accept(), retryAfter, headers?.(retryAfter)))
  } finally {
    await settled()
  }
}
