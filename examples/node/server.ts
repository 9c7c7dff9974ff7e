import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { lock, type LockVariables } from 'edge-redlock/hono'
import { fromEnv, lockKey } from 'edge-redlock'

// Create one client per process, so that calls that wait for the same key share a queue.
const redlock = fromEnv()

const app = new Hono<{ Variables: LockVariables }>()
  .get('/', (c) => c.text('POST /accounts/:id/close\n'))
  .post(
    '/accounts/:id/close',
    // A second request waits up to two seconds for its turn. After that, it is rejected with 409.
    lock({ redlock, wait: 2_000, key: (c) => lockKey('account', c.req.param('id')) }),
    async (c) => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      return c.json({ closed: c.req.param('id'), held: c.var.lock?.held })
    },
  )

const server = serve(
  {
    fetch: app.fetch,
    hostname: process.env.HOST ?? '127.0.0.1',
    port: Number(process.env.PORT ?? 3000),
  },
  ({ address, port }) => console.log(`listening on http://${address}:${port}`),
)

// Stop accepting requests, and finish those in progress, which releases their locks.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close())
