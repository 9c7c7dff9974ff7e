import { platformOf } from '../http/background.ts'
import type { RequestScope } from '../http/request-scope.ts'
import { type Gate, withRequest } from '../http/with-request.ts'
import { checkHttpEvent, requestOf } from '../lambda/event.ts'
import { responseOf } from '../lambda/response.ts'
import { resultOf } from '../lambda/result.ts'
import type { Lock } from '../lock/lock.ts'
import { assertOption, checkFunction } from '../util/validate.ts'

type Callback = (error?: unknown, result?: unknown) => void

/**
 * Calls the handler of a function. On Lambda it may answer by the callback that the platform passes
 * third: if it names one and returns nothing. Then the returned promise waits for that answer.
 */
const callHandler = <Rest extends readonly unknown[]>(
  handler: (...args: [input: unknown, env: unknown, ctx: unknown, ...Rest]) => unknown,
  [input, env, ctx]: readonly [input: unknown, env: unknown, ctx: unknown],
  ...rest: Rest
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const isLambda = typeof ctx === 'function'
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result))
    const answer = handler(input, env, isLambda ? callback : ctx, ...rest)
    if (!isLambda || answer !== undefined || handler.length < 3) resolve(answer)
  })

/** The arguments that a platform passes: a request or an event, bindings, and a context. */
export type FunctionArgs<Input, Env, Ctx> = [input: Input, env: Env, ctx: Ctx]

/** The arguments that a wrapped function requires: those of which its options or handler know a type. */
type RequiredArgs<Input, Env, Ctx> = unknown extends Ctx
  ? unknown extends Env
    ? [input: Input, env?: Env, ctx?: Ctx]
    : [input: Input, env: Env, ctx?: Ctx]
  : [input: Input, env: Env, ctx: Ctx]

/** A function that a platform can call. Next.js checks the type of its second argument. */
export type PlatformFunction<Input, Env, Ctx, Output> = (
  ...request: RequiredArgs<Input, Env, Ctx>
) => Promise<Output>

/** What answers a request: it gets the lock as its fourth argument. */
type Handler<Input, Env, Ctx, Output> = (
  ...args: [...FunctionArgs<Input, Env, Ctx>, lock: Lock | undefined]
) => Output | PromiseLike<Output>

/** Whether it is a Request or a Response: those of another library or another realm are no instances. */
const isMessage = (given: unknown): boolean => {
  const { headers, text } = Object(given) as Partial<Request>
  return typeof headers?.get === 'function' && typeof text === 'function'
}

/** Rejects the arguments of a handler of Node, whose server ignores what the function returns. */
const rejectNodeHandler = (input: unknown, env: unknown): void => {
  const { socket } = Object(input) as { socket?: unknown }
  const { on } = Object(socket) as { on?: unknown }
  const { setHeader } = Object(env) as { setHeader?: unknown }
  if (typeof on !== 'function' && typeof setHeader !== 'function') return
  throw new TypeError(
    'Expected a Request or an event of Lambda, got the arguments of a handler of Node, as Express passes: ' +
      'use lock(), throttle() or idempotent() of edge-redlock/node instead',
  )
}

const unreadable =
  'the status, a header or the body of a result cannot be read, so a repeated request gets a 409 in its place'

const readTwice = async (): Promise<never> => {
  throw new TypeError(
    'Expected `request` to be one whose body nobody has read before, got one that was read',
  )
}

/** Answers one call of a wrapped function. An event becomes a request, and the response a result. */
const answer = async <Args extends FunctionArgs<unknown, unknown, unknown>>(
  gate: Gate<Args>,
  handler: Handler<unknown, unknown, unknown, unknown>,
  args: Args,
): Promise<unknown> => {
  const [input, env, ctx] = args
  const isRequest = isMessage(input)
  if (!isRequest && gate.readsAnswer) checkHttpEvent(input)
  let request = isRequest ? (input as Request) : undefined
  let result: unknown
  let problem: string | undefined
  const scope: RequestScope<Args> = {
    args,
    ids: [Object(input)],
    get request() {
      return (request ??= requestOf(input))
    },
    platform: platformOf([ctx, env]),
    copyBody: readTwice,
    returned: (response) => (isMessage(result) ? response : result),
    problem: () => problem,
  }
  const { response, isOwn } = await withRequest(scope, gate, async (lock) => {
    result = await callHandler(handler, args, lock)
    if (isMessage(result)) return result as Response
    if (gate.readsAnswer) {
      assertOption(!isRequest, 'handler', 'a function that returns a Response', result)
      try {
        return responseOf(result)
      } catch {
        problem = unreadable
      }
    }
    // It stands in for the result, which is passed on as it is.
    return Response.error()
  })
  if (isOwn && !isMessage(result)) return result
  return isRequest ? response : resultOf(input, response)
}

/** Wraps a handler by a gate, as a function that a platform can call. */
export const platformFunction = <Input, Env, Ctx, Output>(
  gate: Gate<FunctionArgs<Input, Env, Ctx>>,
  handler: Handler<Input, Env, Ctx, Output>,
): PlatformFunction<Input, Env, Ctx, Output> => {
  checkFunction('handler', handler)
  // Rest parameters keep `length` at 0: Lambda passes a callback to a handler that names three.
  return function handle(...passed) {
    const [input, env, ctx] = passed as FunctionArgs<Input, Env, Ctx>
    // Not as a rejection: Node's http and Express 4 handle only what is thrown.
    rejectNodeHandler(input, env)
    return answer(gate, handler as Handler<unknown, unknown, unknown, unknown>, [
      input,
      env,
      ctx,
    ]) as Promise<Output>
  }
}
