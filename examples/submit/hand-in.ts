import { Hono } from 'hono'
import { type Env, idempotent } from './context.ts'

/**
 * Hands an assignment in once. The second click waits for the receipt of the first, and gets it, as
 * does every retry within a day.
 */
export const handIn = new Hono<Env>().post(
  '/assignments/:id/hand-in',
  async (c, next) => {
    // A real platform takes the user from its session.
    const user = c.req.header('x-user')
    if (!user) return c.text('Sign in first', 401)
    c.set('user', user)
    return next()
  },
  idempotent({ wait: 10_000 }),
  async (c) => {
    // A real platform would store the files here. That takes as long as two clicks.
    await new Promise((resolve) => setTimeout(resolve, 500))
    return c.json({ receipt: crypto.randomUUID(), assignment: c.req.param('id') }, 201)
  },
)
