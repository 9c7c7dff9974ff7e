import { checkLockOptions, type LockOptions as Options, runLocked } from '../http/run-locked.ts'
import type { Lock } from '../lock/lock.ts'
import { checkFunctions } from '../util/validate.ts'
import { type Call, serving } from './adapter.ts'

export type LockOptions<Input = Request, Env = unknown, Ctx = unknown> = Options<
  Call<Input, Env, Ctx>
>

/**
 * A function for Workers, Vercel, Lambda and the like that holds a lock while it answers a request:
 * at most one request per key runs at a time.
 *
 * The handler gets what the platform passes, and the lock as its fourth argument; undefined where
 * `key` skipped the request or `failOpen` let it pass. The lock is held until the response body has
 * ended, extended for as long as that takes, and then released. `waitUntil` and the time that is
 * left to the function are taken from the platform: an execution context, Vercel's request context,
 * or the context of a Lambda, beyond whose end no lock is held.
 *
 * @param options - Those of the Hono middleware; their functions are called with what the platform
 * passes.
 * @param handler - Answers the request. On Lambda it may take an event and return a plain result.
 * @returns the function to export. It answers 409 when the lock is held and 503 when too few nodes
 * can be reached, both with `Retry-After`.
 * @throws {TypeError | RangeError} when an option is wrong; the message names it.
 * @example
 * ```ts
 * export default {
 *   fetch: withLock(
 *     { redlock: (_request, env: Env) => Redlock.fromEnv(env), key: 'report' },
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
): ((input: Input, env?: Env, ctx?: Ctx) => Promise<Output>) => {
  const limits = checkLockOptions(options)
  checkFunctions({ handler })
  return serving((call, exchange) =>
    runLocked(options, limits, call, exchange, async (lock) => handler(...call, lock)),
  )
}
