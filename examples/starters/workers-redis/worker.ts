import { type Context, Hono } from 'hono'
import { fromEnv, lockKey, type Redlock } from 'edge-redlock'
import { throttle } from 'edge-redlock/hono'
import { developmentNodes } from './development.ts'

type Bindings = { REDLOCK_NODES?: string; MEMORY_NODES?: string }
type AppEnv = { Bindings: Bindings; Variables: { userId: string } }

const app = new Hono<AppEnv>()
// This throws if the Worker has no nodes: the response is then a 500, and the log names the missing variable.
const redlock = ({ env }: Context<AppEnv>): Redlock => fromEnv(developmentNodes(env) ?? env)

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
