import { type Context, type Env, takeByHand } from '../take-by-hand.ts'

// A Worker without this library, Hono or timeouts: the maximum that the platform can serve.

// A Worker's entry point is its default export.
export default {
  fetch: async (request: Request, env: Env, context: Context): Promise<Response> => {
    const headers = await takeByHand(new URL(request.url).pathname, env, context)
    return new Response('done', { headers })
  },
}
