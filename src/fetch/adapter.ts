import type { RequestOptions } from '../http/options.ts'
import { platformOf } from '../http/platform.ts'
import type { RequestScope } from '../http/request-scope.ts'

/** The arguments that a platform passes: a request or an event, bindings, and a context. */
export type FunctionArgs<Input, Env, Ctx> = [input: Input, env: Env, ctx: Ctx]

/** The headers of an event of Lambda, which come in the case that the client used. */
type EventHeaders = { readonly [name: string]: string | undefined }

/** The scope of one call of a wrapped function. */
const scopeOf = <
  Args extends FunctionArgs<unknown, unknown, unknown>,
  Options extends RequestOptions<Args>,
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
    accept: isRequest ? (input as Request).headers.get('accept') : (accept ?? Accept),
    platform: platformOf([ctx, env]),
  }
}

/**
 * Converts a refusal to the form that the platform understands: for an event, API Gateway and
 * function URLs expect a plain object instead of a `Response`.
 *
 * @see {@link https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html}
 */
const toPlatformResult = async <T>(
  request: Request | undefined,
  answer: T | Response,
): Promise<T> =>
  request || !(answer instanceof Response)
    ? (answer as T)
    : ({
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: await answer.text(),
      } as T)

/** Wraps `run`, which answers a request by its scope, as a function that a platform can call. */
export const platformFunction = <
  Input,
  Env,
  Ctx,
  Output,
  Options extends RequestOptions<FunctionArgs<Input, Env, Ctx>>,
>(
  options: Options,
  run: (scope: RequestScope<FunctionArgs<Input, Env, Ctx>, Options>) => Promise<Output | Response>,
): ((input: Input, env?: Env, ctx?: Ctx) => Promise<Output>) =>
  // Rest parameters keep `length` at 0: Lambda passes a callback to a handler that names three.
  async function handle(...passed) {
    const [input, env, ctx] = passed as FunctionArgs<Input, Env, Ctx>
    const scope = scopeOf<FunctionArgs<Input, Env, Ctx>, Options>(options, [input, env, ctx])
    return toPlatformResult(scope.request, await run(scope))
  }
