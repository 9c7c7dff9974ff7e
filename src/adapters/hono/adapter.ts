/** @ts-ignore -- hono is optional: without it, `edge-redlock/idempotency` still has its other types. */
import type { Context, MiddlewareHandler, Next } from 'hono'
import { platformOf } from '../../requests/background.ts'
import type { RequestScope } from '../../requests/request-scope.ts'
import { type HandledResponse, type Gate, withRequest } from '../../requests/with-request.ts'
import { assertOption } from '../../util/validate.ts'
import type { Lock } from '../../core/lock/lock.ts'

/**
 * The context variables that `lock()` sets. The lock is held until the response body has ended. It is undefined if
 * `key` returned null or `failOpen` let the request pass.
 */
export type LockVariables = { lock: Lock | undefined }

const platformIn = (c: Context) => {
  let executionCtx: unknown
  try {
    ;({ executionCtx } = c)
  } catch {
    // The getter throws if the adapter passes no execution context.
  }
  // Hono's adapters for Lambda, for Lambda with streaming and for Netlify put the context here.
  const { lambdaContext, context } = Object(c.env) as Record<string, unknown>
  return platformOf([executionCtx, lambdaContext, context])
}

/** Runs a Hono request through a gate. */
export const enter = async (
  c: Context,
  next: Next,
  gate: Gate<[c: Context]>,
  more?: Partial<RequestScope<[c: Context]>>,
): Promise<HandledResponse> => {
  const scope: RequestScope<[c: Context]> = {
    args: [c],
    // Middleware may replace the request of a context, and a function may get only the request.
    ids: [c, c.req.raw],
    request: c.req.raw,
    lent: c.req.raw,
    platform: platformIn(c),
    show: (lock) => c.set('lock', lock),
    returned: (response) => response,
    ...more,
  }
  return withRequest(scope, gate, async () => {
    // This resolves even after an Error, since Hono turns it into a response. Other values are rethrown.
    await next()
    // Reading `c.res` would create an empty response.
    assertOption(c.finalized, 'handler', 'a function that returns a Response', undefined)
    return c.res
  })
}

/** Hands a response to Hono: returns it, or replaces the one that the handler has set. */
export const send = (c: Context, response: Response): Response | undefined => {
  if (!c.finalized) return response
  // Assigning copies the response, which is impossible for a 101. So it happens only if there is a new one.
  if (response !== c.res) {
    // Hono would merge the headers of the old response into the new one, which is already complete.
    c.res = undefined
    c.res = response
  }
  return undefined
}

/** Middleware that answers through a gate. */
export const honoMiddleware =
  (gate: Gate<[c: Context]>): MiddlewareHandler =>
  async (c, next) => {
    const { response } = await enter(c, next, gate)
    return send(c, response)
  }
