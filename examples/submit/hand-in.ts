import { Hono } from 'hono'
import { idempotent } from 'edge-redlock/idempotency'
import type { LockVariables } from 'edge-redlock/hono'
import { type Env, redlock } from './context.ts'

type HandInEnv = Env & { Variables: LockVariables & { user: string } }

/**
 * Hands an assignment in once. The second click waits for the receipt of the first, and gets it, as
 * does every retry within a day.
 */
export const handIn = new Hono<HandInEnv>().post(
  '/assignments/:id/hand-in',
  async (c, next) => {
    // A real platform takes the user from its session.
    c.set('user', c.req.header('x-user') || 'somebody')
    return next()
  },
  idempotent<HandInEnv>({ redlock, scope: (c) => c.get('user'), wait: 10_000 }),
  async (c) => {
    // A real platform would store the files here. That takes as long as two clicks.
    await new Promise((resolve) => setTimeout(resolve, 500))
    return c.json({ receipt: crypto.randomUUID(), assignment: c.req.param('id') }, 201)
  },
)
