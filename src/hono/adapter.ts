/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, Env } from 'hono'
import { platformOf } from '../http/platform.ts'
import type { RequestScope, ScopeOptions } from '../http/request-scope.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- the Env of a plain `Context` in Hono
export type AnyEnv = any

/** An Env that is known, or else another one. */
type Known<E extends Env, Else extends Env> = 0 extends 1 & E ? Else : E

/**
 * The context that `key` receives. It decides whether anything is locked, so it is never `Context<any>`,
 * in which a misspelt variable compiles: where neither `E` nor the context of `redlock` is known, it has
 * no variables.
 */
export type KeyContext<E extends Env, P extends string, R extends Env> = Context<
  Known<E, Known<R, Env>>,
  P
>

/** The scope of a request to Hono. */
export const scopeOf = <Options extends ScopeOptions<[c: Context]>>(
  options: Options,
  c: Context,
  isComplete?: RequestScope<[c: Context]>['isComplete'],
): RequestScope<[c: Context], Options> => {
  let executionCtx: unknown
  try {
    ;({ executionCtx } = c)
  } catch {
    // The getter throws where the adapter passes no execution context.
  }
  // Hono's adapters for Lambda, for Lambda with streaming and for Netlify put the context here.
  const { lambdaContext, context } = Object(c.env) as Record<string, unknown>
  return {
    options,
    args: [c],
    // Middleware may replace the request of a context, and a function may get only the request.
    ids: [c, c.req.raw],
    request: c.req.raw,
    accept: () => c.req.header('accept'),
    platform: platformOf([executionCtx, lambdaContext, context]),
    isComplete,
  }
}
