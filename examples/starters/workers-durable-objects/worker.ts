import { type Context, Hono } from 'hono'
import { lockKey, Redlock } from 'edge-redlock'
import { durableObjectNodes, type RedlockNamespace } from 'edge-redlock/durable-object'
import { throttle } from 'edge-redlock/hono'

// The Durable Object class of the nodes. `wrangler.jsonc` binds a namespace to it.
export { RedlockNode } from 'edge-redlock/durable-object'

type AppEnv = { Bindings: { REDLOCK: RedlockNamespace }; Variables: { userId: string } }

const app = new Hono<AppEnv>()
const redlock = (c: Context<AppEnv>): Redlock =>
  new Redlock({ nodes: durableObjectNodes(c.env.REDLOCK) })

app.use(async (c, next) => {
  const userId = c.req.header('x-user') // replace with your session lookup
  if (!userId) return c.text('Sign in first', 401)
  c.set('userId', userId)
  return next()
})

/** Accepts one submission per user in five seconds; others are rejected with 429. */
app.post(
  '/submit',
  throttle({ redlock, key: (c) => lockKey('submit', c.get('userId')), window: 5_000 }),
  (c) => c.json({ submission: crypto.randomUUID() }, 202),
)

export default app
