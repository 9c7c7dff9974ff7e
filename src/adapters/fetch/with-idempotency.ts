import { type FunctionArgs, type PlatformFunction, platformFunction } from './adapter.ts'
import type { Lock } from '../../core/lock/lock.ts'
import { idempotentGate } from '../../idempotency/idempotent-gate.ts'
import type { IdempotencyGateOptions as Options } from '../../idempotency/options.ts'

/**
 * Options of `withIdempotency()`. All times are in ms, all sizes in bytes. Functions receive the arguments that the
 * platform passes.
 */
export type IdempotencyOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<FunctionArgs<Input, Env, Ctx>, Output>

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms. The first request with a key is processed, and
 * repeated requests receive the same response.
 *
 * The key is the value of the `Idempotency-Key` header, within the scope, the method and the path. The response is
 * recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. If a response is not recorded, such
 * as a 5xx, the key is released, so that a retry runs.
 *
 * @param options - The options of the Hono middleware. Their functions receive the arguments that the platform passes;
 *   for `shouldRecord`, the response comes first.
 * @param handler - Handles the request. It receives the arguments of the platform and, fourth, the lock of the request,
 *   which is undefined if the request passes without a claim. On Lambda, it can receive an HTTP event and return a
 *   plain object.
 * @returns the function to export. For an event, rejections and replays are objects with `statusCode`, `headers` and
 *   `body`.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
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
