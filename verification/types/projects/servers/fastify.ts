import { isLockedError, lockKey, Redlock, withSlots } from 'edge-redlock'
import fastify from 'fastify'

const redlock = withSlots(Redlock.fromEnv())
const app = fastify()

app.post<{ Params: { id: string } }>('/import/:id', async (request, reply) => {
  try {
    const key = lockKey('import', request.params.id)
    return await redlock.using(key, { limit: 3, wait: 1_000 }, async ({ keys }) => ({ keys }))
  } catch (error) {
    if (!isLockedError(error)) throw error
    return reply
      .code(409)
      .header('retry-after', Math.ceil(error.retryAfter / 1000))
      .send()
  }
})
