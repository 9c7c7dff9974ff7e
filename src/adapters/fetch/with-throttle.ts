import { throttleGate, type ThrottleGateOptions as Options } from '../../requests/throttle-gate.ts'
import { type FunctionArgs, type PlatformFunction, platformFunction } from './adapter.ts'

/**
 * Options of `withThrottle()`. All times are in ms. Functions receive the arguments that the platform passes.
 */
export type ThrottleOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<FunctionArgs<Input, Env, Ctx>, Output>

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms so that one request per key passes in each window.
 *
 * Responses report the limit in `RateLimit` headers. Further requests in the window are rejected with problem+json and
 * `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the Hono middleware. Their functions receive the arguments that the platform passes;
 *   for `countIf`, the response comes first.
 * @param handler - Handles a request that passes. On Lambda, it can receive an event and return a plain object.
 * @returns the function to export. For an event, a rejection is an object with `statusCode`, `headers` and `body`.
 * @throws `TypeError` or `RangeError` if an option is invalid; the message names the option.
 * @example
 * ```ts
 * const countIf = ({ ok }: Response) => ok
 *
 * export const POST = withThrottle({ redlock, key: userOf, window: 5_000, countIf }, submit)
 * ```
 */
export const withThrottle = <Input = Request, Env = unknown, Ctx = unknown, Output = Response>(
  options: ThrottleOptions<Input, Env, Ctx, Output>,
  handler: (input: Input, env: Env, ctx: Ctx) => Output | PromiseLike<Output>,
): PlatformFunction<Input, Env, Ctx, Output> =>
  platformFunction(throttleGate('withThrottle()', options), handler)
