import { type FunctionArgs, type PlatformFunction, platformFunction } from './adapter.ts'
import type { Lock } from '../../core/lock/lock.ts'
import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'

/**
 * Options of `withIdempotency()`. All times are in ms, all sizes in bytes. Functions are called with the arguments that
 * the platform passes.
 */
export type IdempotencyOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<FunctionArgs<Input, Env, Ctx>, Output>

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms. One of all requests with the same key is
 * processed, and the others get its answer.
 *
 * The key is the value of the header `Idempotency-Key`, within the scope, the method and the path. The answer is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. An answer that is not recorded, such
 * as a 5xx, releases the key, so that a retry runs.
 *
 * @param options - The options of the Hono middleware. Their functions are called with the arguments that the platform
 *   passes, and `shouldRecord` with the answer first.
 * @param handler - Answers the request. Its arguments are those of the platform and, fourth, the lock of the request,
 *   which is undefined if the request passes without a claim. On Lambda, it may take an HTTP event and return a plain
 *   object.
 * @returns the function to export. For an event, rejections and replays are objects with `statusCode`, `headers` and
 *   `body`.
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
 * @example
 * ```ts
 * export default {
 *   fetch: withIdempotency(
 *     { redlock: (_request, env: Env) => fromEnv(env), scope: (request) => userOf(request) },
 *     async (request, env, ctx, lock) => Response.json(await order(request, lock), { status: 201 }),
 *   ),
 * }
 * ```
 */
export const withIdempotency = <Input = Request, Env = unknown, Ctx = unknown, Output = Response>(
  options: IdempotencyOptions<Input, Env, Ctx, Output>,
  handler: (
    input: Input,
    env: Env,
    ctx: Ctx,
    lock: Lock | undefined,
  ) => Output | PromiseLike<Output>,
): PlatformFunction<Input, Env, Ctx, Output> =>
  platformFunction(idempotentGate('withIdempotency()', options), handler)
