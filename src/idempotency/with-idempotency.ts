import { type FunctionArgs, type PlatformFunction, platformFunction } from '../fetch/adapter.ts'
import { callHandler } from '../fetch/call-handler.ts'
import type { RequestScope } from '../http/request-scope.ts'
import type { Lock } from '../lock/lock.ts'
import { assertOption, checkFunction } from '../util/validate.ts'
import { eventInput } from './event-input.ts'
import { type HttpInput, requestInput } from './http-input.ts'
import { readResult } from './lambda-answer.ts'
import { type IdempotencyOptions as Options, resolveOptions } from './options.ts'
import { runIdempotent } from './run-idempotent.ts'

/**
 * Options of `withIdempotency()`. All times are in ms, all sizes in bytes; functions are called with the
 * arguments that the platform passes.
 */
export type IdempotencyOptions<
  Input = Request,
  Env = unknown,
  Ctx = unknown,
  Output = Response,
> = Options<FunctionArgs<Input, Env, Ctx>, Output>

const readTwice = async (): Promise<never> => {
  throw new TypeError(
    'Expected `request` to be one whose body nobody has read before, got one that was read',
  )
}

const inputOf = ({
  request,
  args,
}: Pick<RequestScope<[input: unknown, ...unknown[]]>, 'request' | 'args'>): HttpInput =>
  request ? requestInput(request, readTwice) : eventInput(args[0])

/**
 * Wraps a function for Workers, Vercel, Lambda and similar platforms: of all requests with the same key
 * one is processed, and the others get its answer.
 *
 * The key is that of the header `Idempotency-Key`, within the scope, the method and the path. The answer
 * is recorded on a majority of the nodes before it is sent, and kept for `recordTtl`. A request whose
 * answer is not recorded, such as a 5xx, releases the key, so that a retry runs.
 *
 * @param options - The options of the Hono middleware; their functions are called with the arguments
 * that the platform passes, and `record` with the answer first.
 * @param handler - Answers the request. It is called with the arguments that the platform passes and,
 * fourth, the lock of the request: undefined where it passes without a claim. On Lambda it may take an
 * HTTP event and return a plain object.
 * @returns the function to export. For an event, refusals and replays are objects with `statusCode`,
 * `headers` and `body`.
 * @throws `TypeError` or `RangeError` when an option is wrong; the message names it.
 * @example
 * ```ts
 * export default {
 *   fetch: withIdempotency(
 *     { redlock: (_request, env: Env) => Redlock.fromEnv(env), scope: (request) => userOf(request) },
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
): PlatformFunction<Input, Env, Ctx, Output> => {
  const resolved = resolveOptions('withIdempotency()', options)
  checkFunction('handler', handler)
  return platformFunction(options, (scope) =>
    runIdempotent(scope, resolved, inputOf(scope), {
      run: async (lock) => {
        const answer = await callHandler(handler, scope.args, lock)
        const fits = !scope.request || answer instanceof Response
        assertOption(fits, 'handler', 'a function that returns a Response', answer)
        return answer
      },
      responseOf: (answer) => {
        if (!(answer instanceof Response)) return readResult(answer)
        return answer.status === 101 ? undefined : answer
      },
      answerOf: (answer, response) => (answer instanceof Response ? (response as Output) : answer),
    }),
  )
}
