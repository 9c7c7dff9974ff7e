import { type Context, Hono } from 'hono'
import { lock, throttle } from '../../src/entries/hono.ts'
import { fromEnv, type Redlock } from '../../src/index.ts'

type Env = { Bindings: { REDLOCK_NODES: string } }

const redlock = (c: Context<Env>): Redlock => fromEnv(c.env, { ttl: 600_000 })
const unique = (): string => crypto.randomUUID()
const window = 600_000
const done = (c: Context): Response => c.text('done')

/** A trivial handler, alone and behind the middleware. */
const app = new Hono<Env>()
  .get('/', done)
  .get('/lock', lock({ redlock, key: unique, metadata: '' }), done)
  .get('/lock/held', lock({ redlock, key: 'held', metadata: '' }), done)
  .get('/throttle', throttle({ redlock, key: unique, window }), done)
  .get('/throttle/closed', throttle({ redlock, key: 'closed', window }), done)

// A Worker's entry point is its default export.
export default app
