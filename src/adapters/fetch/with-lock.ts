import { lockGate, type LockGateOptions as Options } from '../../requests/lock-gate.ts'
import type { Lock } from '../../core/lock/lock.ts'
import { type FunctionArgs, type PlatformFunction, platformFunction } from './adapter.ts'

/**
 * Options of `withLock()`. All times are in ms. Functions receive the arguments that the platform passes.
 */
export type LockOptions<Input = Request, Env = unknown, Ctx = unknown> = Options<
  FunctionArgs<Input, Env, Ctx>
>

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms so that at most one request per key runs at a
 * time.
 *
 * The lock is extended while the request runs, and released once the response body has ended, even if the handler
 * throws or the client disconnects. A request that cannot acquire the lock is rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * `waitUntil` and the remaining time come from the platform: an execution context, Vercel's request context or a
 * Lambda context. No lock outlasts the time limit of the function.
 *
 * @param options - The options of the Hono middleware. Their functions receive the arguments that the platform passes.
 * @param handler - Handles the request. It receives the arguments of the platform and, fourth, the lock. The lock is
 *   undefined if `key` returned null or `failOpen` let the request pass. On Lambda, it can receive an event and return
 *   a plain object.
 * @returns the function to export. For an event, a rejection is an object with `statusCode`, `headers` and `body`.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
 * @example
 * ```ts
 * export default {
 *   fetch: withLock(
 *     { redlock: (_request, env: Env) => fromEnv(env), key: 'report' },
 *     async (request, env, ctx, lock) => new Response(await render({ signal: lock?.signal })),
 *   ),
 * }
 * ```
 */
export const withLock = <Input = Request, Env = unknown, Ctx = unknown, Output = Response>(
  options: LockOptions<Input, Env, Ctx>,
  handler: (
    input: Input,
    env: Env,
    ctx: Ctx,
    lock: Lock | undefined,
  ) => Output | PromiseLike<Output>,
): PlatformFunction<Input, Env, Ctx, Output> =>
  platformFunction(lockGate('withLock()', options), handler)
