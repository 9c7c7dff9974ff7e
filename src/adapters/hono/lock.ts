/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env, MiddlewareHandler } from 'hono'
import { lockGate, type LockGateOptions as Options } from '../../requests/lock-gate.ts'
import { type LockVariables, honoMiddleware } from './adapter.ts'
import type { AnyEnv, KeyContext, RedlockArgs } from './key-context.ts'

/**
 * Options of `lock()`. All times are in ms. Functions receive the context.
 *
 * @typeParam E - The Env of the app, which types the context of `key`. Default: the Env of `redlock`.
 */
export type LockOptions<E extends Env = AnyEnv> = Options<
  [c: Context],
  RedlockArgs<E>,
  [c: KeyContext<E>]
>

/**
 * Lock Middleware for Hono: at most one request per key runs at a time.
 *
 * The lock is extended while the request runs. It is released once the response body has ended, even if the handler
 * throws or the client disconnects. A request that cannot acquire the lock is rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the middleware.
 * @returns The middleware.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
 *
 * @example
 * ```ts
 * const app = new Hono()
 * const redlock = (c: Context) => fromEnv(c.env)
 *
 * app.post('/grade/:id', lock({ redlock, key: (c) => lockKey('grade', c.req.param('id')) }), (c) => {
 *   c.var.lock?.signal // aborts when the lock is lost
 *   return c.text('graded')
 * })
 * ```
 */
export const lock = <E extends Env = AnyEnv>(
  options: LockOptions<E>,
): MiddlewareHandler<{ Variables: LockVariables }> => {
  // Only callers need the precise types of the contexts.
  const gate = lockGate('lock()', options as unknown as Options<[c: Context]>)
  return honoMiddleware(gate)
}
