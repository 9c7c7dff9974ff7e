import { platformOf } from '../http/platform.ts'
import type { RequestScope, ScopeOptions } from '../http/request-scope.ts'
import { lambdaResult } from './lambda-result.ts'

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

/** The headers of an event of Lambda, which come in the case that the client used. */
type EventHeaders = { readonly [name: string]: string | undefined }

/** The scope of one call of a wrapped function. */
const scopeOf = <
  Args extends FunctionArgs<unknown, unknown, unknown>,
  Options extends ScopeOptions<Args>,
>(
  options: Options,
  args: Args,
): RequestScope<Args, Options> => {
  const [input, env, ctx] = args
  const { headers } = Object(input) as { headers?: Request['headers'] | EventHeaders }
  const isRequest = typeof headers?.get === 'function'
  const { accept, Accept } = Object(headers) as EventHeaders
  return {
    options,
    args,
    ids: [Object(input)],
    request: isRequest ? (input as Request) : undefined,
    accept: () => (isRequest ? (input as Request).headers.get('accept') : (accept ?? Accept)),
    platform: platformOf([ctx, env]),
  }
}

/** Rejects the arguments of a handler of Node, whose server ignores what the function returns. */
const rejectNodeHandler = (input: unknown, env: unknown): void => {
  const { socket } = Object(input) as { socket?: unknown }
  const { on } = Object(socket) as { on?: unknown }
  const { setHeader } = Object(env) as { setHeader?: unknown }
  if (typeof on !== 'function' && typeof setHeader !== 'function') return
  throw new TypeError(
    'Expected a Request or an event of Lambda, got the arguments of a handler of Node, as Express passes: ' +
      'call redlock.tryAcquire(), using() or throttle() in the handler instead',
  )
}

/** Wraps `run`, which answers a request by its scope, as a function that a platform can call. */
export const platformFunction = <
  Input,
  Env,
  Ctx,
  Output,
  Options extends ScopeOptions<FunctionArgs<Input, Env, Ctx>>,
>(
  options: Options,
  run: (scope: RequestScope<FunctionArgs<Input, Env, Ctx>, Options>) => Promise<Output | Response>,
): PlatformFunction<Input, Env, Ctx, Output> =>
  // Rest parameters keep `length` at 0: Lambda passes a callback to a handler that names three.
  function handle(...passed) {
    const [input, env, ctx] = passed as FunctionArgs<Input, Env, Ctx>
    // Not as a rejection: Node's http and Express 4 handle only what is thrown.
    rejectNodeHandler(input, env)
    const scope = scopeOf<FunctionArgs<Input, Env, Ctx>, Options>(options, [input, env, ctx])
    const answer = async (): Promise<Output> => {
      const made = await run(scope)
      return scope.request || !(made instanceof Response)
        ? (made as Output)
        : ((await lambdaResult(input, made)) as Output)
    }
    return answer()
  }
