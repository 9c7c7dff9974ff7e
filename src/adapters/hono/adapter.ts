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
    // The getter throws if the adapter of the platform passes no execution context.
  }
  // Hono's adapters for Lambda (with and without streaming) and for Netlify pass the context in `c.env`.
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
    // Two objects, because middleware can replace the request of a context, and a function can receive only the request.
    ids: [c, c.req.raw],
    request: c.req.raw,
    lent: c.req.raw,
    platform: platformIn(c),
    show: (lock) => c.set('lock', lock),
    returned: (response) => response,
    ...more,
  }
  return withRequest(scope, gate, async () => {
    // `next` resolves even if the handler throws an Error: Hono turns it into a response. Hono rethrows other values.
    await next()
    // Reading `c.res` would create an empty response.
    assertOption(c.finalized, 'handler', 'a function that returns a Response', undefined)
    return c.res
  })
}

/** Passes a response to Hono: returns it, or replaces the response that the handler set. */
export const send = (c: Context, response: Response): Response | undefined => {
  if (!c.finalized) return response
  // Assign only a new response: assigning makes a copy, which is impossible for a 101.
  if (response !== c.res) {
    // Clear `c.res` first. Otherwise, Hono merges the old headers into the new response, which is already complete.
    c.res = undefined
    c.res = response
  }
  return undefined
}

/** Creates middleware that runs each request through a gate. */
export const honoMiddleware =
  (gate: Gate<[c: Context]>): MiddlewareHandler =>
  async (c, next) => {
    const { response } = await enter(c, next, gate)
    return send(c, response)
  }
