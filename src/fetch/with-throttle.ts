import {
  checkThrottleOptions,
  runThrottled,
  type ThrottleOptions as Options,
} from '../http/run-throttled.ts'
import { checkFunctions } from '../util/validate.ts'
import { type Call, serving } from './adapter.ts'

export type ThrottleOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<Call<Input, Env, Ctx>, Output>

/**
 * A function for Workers, Vercel, Lambda and the like that lets one request per key and window
 * pass.
 *
 * @param options - Those of the Hono middleware; their functions are called with what the platform
 * passes, and `keepIf` with the response besides.
 * @param handler - Answers the request that passes.
 * @returns the function to export. It answers 429 inside the window and 503 when too few nodes can
 * be reached.
 * @throws {TypeError | RangeError} when an option is wrong; the message names it.
 * @example
 * ```ts
 * const keepIf = (_request: Request, _env: unknown, _ctx: unknown, { ok }: Response) => ok
 *
 * export const POST = withThrottle({ redlock, key: userOf, window: 5_000, keepIf }, submit)
 * ```
 */
export const withThrottle = <Input = Request, Env = unknown, Ctx = unknown, Output = Response>(
  options: ThrottleOptions<Input, Env, Ctx, Output>,
  handler: (input: Input, env: Env, ctx: Ctx) => Output | PromiseLike<Output>,
): ((input: Input, env?: Env, ctx?: Ctx) => Promise<Output>) => {
  checkThrottleOptions(options)
  checkFunctions({ handler })
  return serving((call, exchange) =>
    runThrottled(options, call, exchange, async () => handler(...call)),
  )
}
