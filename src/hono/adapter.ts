import type { Context } from 'hono'
import { type Exchange, platformOf } from '../http/platform.ts'

/** The request of a context. */
export const exchangeOf = (c: Context): Exchange => {
  let executionCtx: unknown
  try {
    ;({ executionCtx } = c)
  } catch {
    // The getter throws where the adapter passes no context.
  }
  // Where Hono's adapter for Lambda puts the context, and the streaming one, and that for Netlify.
  const { lambdaContext, context } = Object(c.env) as Record<string, unknown>
  return {
    id: c,
    request: c.req.raw,
    accept: c.req.header('accept'),
    ...platformOf([executionCtx, lambdaContext, context]),
  }
}

/** Hands a response to Hono: one that was there before, or was made instead of the handler's. */
export const respond = (c: Context, response: Response): Response | undefined => {
  if (!c.finalized) return response
  // Not where it is the same: assigning makes a new Response, which a 101 cannot be.
  if (response !== c.res) c.res = response
  return undefined
}
