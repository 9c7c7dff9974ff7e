import { throttleGate, type ThrottleGateOptions as Options } from '../../requests/throttle-gate.ts'
import { type FunctionArgs, type PlatformFunction, platformFunction } from './adapter.ts'

/**
 * Options of `withThrottle()`. All times are in ms; functions are called with the arguments that the
 * platform passes.
 */
export type ThrottleOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<FunctionArgs<Input, Env, Ctx>, Output>

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms so that one request per key and
 * window passes.
 *
 * Responses report the limit in `RateLimit` headers. A request inside the window is rejected with
 * problem+json and `Retry-After`; `onRejected` replaces that response.
 *
 * @param options - The options of the Hono middleware; their functions are called with the arguments
 * that the platform passes. `countIf` gets the response before these.
 * @param handler - Answers a request that passes. On Lambda, it may take an event and return a plain
 * object.
 * @returns the function to export. For an event, a rejection is an object with `statusCode`, `headers`
 * and `body`.
 * @throws `TypeError` or `RangeError` if an option is wrong; the message names it.
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
