import type { Context } from 'hono'
import type { RequestOptions } from '../http/options.ts'
import { platformOf } from '../http/platform.ts'
import type { RequestScope } from '../http/request-scope.ts'

/** The scope of a request to Hono. */
export const scopeOf = <Options extends RequestOptions<[c: Context]>>(
  options: Options,
  c: Context,
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
    accept: c.req.header('accept'),
    platform: platformOf([executionCtx, lambdaContext, context]),
  }
}

/** Hands a response to Hono: returns it, or replaces the one that the handler has set already. */
export const respond = (c: Context, response: Response): Response | undefined => {
  if (!c.finalized) return response
  // Assigning copies the response, which is impossible for a 101: so only if there is a new one.
  if (response !== c.res) c.res = response
  return undefined
}
