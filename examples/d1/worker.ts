import { type Context, Hono } from 'hono'
import { lockKey, Redlock } from 'edge-redlock'
import { lock } from 'edge-redlock/hono'
import { type D1, d1Node, removeExpired } from './node.ts'

type Bindings = { readonly A: D1; readonly B: D1; readonly C: D1 }
type Env = { Bindings: Bindings }

/** Creates the client, with three databases as nodes. Creating it on each request sends no queries. */
const redlock = (c: Context<Env>): Redlock =>
  new Redlock({ nodes: (['A', 'B', 'C'] as const).map((name) => d1Node(name, c.env[name])) })

const app = new Hono<Env>()

/** Runs one request per report at a time; others are rejected with 409. */
app.post('/reports/:id', lock({ redlock, key: (c) => lockKey('report', c.req.param('id')) }), (c) =>
  c.json({ report: c.req.param('id') }),
)

export default {
  fetch: app.fetch,
  scheduled: async (_: unknown, env: Bindings): Promise<void> => {
    for (const database of [env.A, env.B, env.C])
      await database.prepare(removeExpired).bind(Date.now()).all()
  },
}
