import { Hono } from 'hono'
import { type Env, idempotent } from './context.ts'

/**
 * Hands in an assignment once. A second click waits for the receipt of the first click and returns the same receipt.
 * Every retry within a day returns it, too.
 */
export const handIn = new Hono<Env>().post(
  '/assignments/:id/hand-in',
  async (c, next) => {
    // A real app would take the user from the session.
    const user = c.req.header('x-user')
    if (!user) return c.text('Sign in first', 401)
    c.set('user', user)
    return next()
  },
  idempotent({ wait: 10_000 }),
  async (c) => {
    // A real app would store the files here. The pause leaves time for a second click.
    await new Promise((resolve) => setTimeout(resolve, 500))
    return c.json({ receipt: crypto.randomUUID(), assignment: c.req.param('id') }, 201)
  },
)
