import { type Context, Hono } from 'hono'
import { lockKey, Redlock } from 'edge-redlock'
import { durableObjectNodes, type RedlockNamespace } from 'edge-redlock/durable-object'
import { lock, throttle } from 'edge-redlock/hono'

// The Durable Object class of the nodes. `wrangler.jsonc` binds a namespace to it.
export { RedlockNode } from 'edge-redlock/durable-object'

type Env = { Bindings: { REDLOCK: RedlockNamespace }; Variables: { user: string } }

/** Creates the client, with three objects as nodes. Creating it on each request sends no requests to them. */
const redlock = (c: Context<Env>): Redlock =>
  new Redlock({ nodes: durableObjectNodes(c.env.REDLOCK) })

const app = new Hono<Env>()

/** Accepts one submission per user and assignment in five seconds; others are rejected with 429. */
app.post(
  '/assignments/:id/submit',
  async (c, next) => {
    // A real app would take the user from the session.
    const user = c.req.header('x-user')
    if (!user) return c.text('Sign in first', 401)
    c.set('user', user)
    return next()
  },
  throttle({
    redlock,
    window: 5_000,
    key: (c) => lockKey('submit', c.get('user'), c.req.param('id')),
  }),
  (c) => c.json({ submission: crypto.randomUUID(), assignment: c.req.param('id') }, 202),
)

/** Runs one request per report at a time; others are rejected with 409. */
app.post(
  '/reports/:id',
  lock({ redlock, key: (c) => lockKey('report', c.req.param('id')) }),
  async (c) => {
    // A placeholder for work that takes a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return c.json({ report: c.req.param('id'), token: await c.var.lock?.fencingToken() })
  },
)

// A Worker's entry point is its default export.
export default app
