import { Hono } from 'hono'
import { type Env, takeByHand } from './take-by-hand.ts'

// The app of the middleware, with handlers that send the same requests by hand. Hanging requests are canceled,
// because the platform allows only six at a time.

// The timeout of the middleware, in ms.
const timeout = 2_000

// A Worker's entry point is its default export.
export default new Hono<{ Bindings: Env }>().get('*', async (c) => {
  const headers = await takeByHand(c.req.path, c.env, c.executionCtx, timeout)
  const response = c.text('done')
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
})
