/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import { throttleGate, type ThrottleGateOptions as Options } from '../../requests/throttle-gate.ts'
import { honoMiddleware } from './adapter.ts'
import type { AnyEnv, KeyContext, RedlockArgs } from './key-context.ts'

/**
 * Options of `throttle()`. All times are in ms. Functions receive the context.
 *
 * @typeParam E - The Env of the app, which types the context of `key`. Default: the Env of `redlock`.
 */
export type ThrottleOptions<E extends Env = AnyEnv> = Options<
  [c: Context],
  Response,
  RedlockArgs<E>,
  [c: KeyContext<E>]
>

/**
 * Throttle Middleware for Hono: one request per key passes in each window.
 *
 * Responses report the limit in `RateLimit` headers. Further requests in the window are rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the middleware.
 * @returns The middleware.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
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
export const throttle = <E extends Env = AnyEnv>(
  options: ThrottleOptions<E>,
): MiddlewareHandler => {
  // Only callers need the precise types of the contexts.
  const gate = throttleGate('throttle()', options as unknown as Options<[c: Context], Response>)
  return honoMiddleware(gate)
}
