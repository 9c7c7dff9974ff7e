import { Hono } from 'hono'
import { fromEnv, lockKey, serialize } from 'edge-redlock'
import { consume } from './consumer.ts'
import type { Env, Job } from './job.ts'

const app = new Hono<{ Bindings: Env }>()
  .get('/', (c) => c.text('POST /reports/:id\n'))
  // Acquires the lock and passes it on with the job, so the route does not release it.
  .post('/reports/:id', async (c) => {
    const id = c.req.param('id')
    const redlock = fromEnv(c.env)
    const result = await redlock.tryAcquire(lockKey('report', id), {
      // Long enough for the message to be delivered. After that, the consumer extends the lock.
      ttl: 60_000,
      metadata: `report ${id}`,
      waitUntil: (work) => c.executionCtx.waitUntil(work),
    })
    if (!result.ok) return c.json({ reason: result.reason }, result.reason === 'locked' ? 409 : 503)
    try {
      await c.env.JOBS.send({ id, lock: serialize(result.lock) } satisfies Job)
    } catch (error) {
      // No consumer will adopt the lock.
      await result.lock.release()
      throw error
    }
    return c.json({ accepted: id }, 202)
  })

// A Worker's entry point is its default export.
export default { fetch: app.fetch, queue: consume }
