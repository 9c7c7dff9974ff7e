import { fromEnv, isLockedError, lockKey, withSlots } from 'edge-redlock'
import { idempotent, lock, lockOf, throttle } from 'edge-redlock/node'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'

const redlock = withSlots(fromEnv())
const app = fastify()

type Params = { Params: { id: string } }

app.post<Params>(
  '/grade/:id',
  {
    preHandler: lock({
      redlock,
      key: (request: FastifyRequest<Params>) => lockKey('grade', request.params.id),
    }),
  },
  async (request) => ({ id: request.params.id, token: await lockOf(request)?.fencingToken() }),
)

const once = idempotent({
  redlock,
  scope: (request: FastifyRequest) => request.headers.authorization ?? 'nobody',
  onRejected: ({ reason }, request, reply: FastifyReply) =>
    reason === 'in-flight' ? Response.json({ url: request.url, sent: reply.sent }) : undefined,
})
app.post<{ Body: { item: string } }>('/orders', { preHandler: once }, async (request, reply) =>
  reply.code(201).send({ item: request.body.item }),
)

// A hook for all routes of a plugin.
app.register(async (scope) => {
  scope.addHook(
    'onRequest',
    throttle({ redlock, limit: 10, key: ({ url }) => url!, window: 1_000 }),
  )
  scope.addHook('preHandler', lock({ redlock, key: 'plugin' }))
  scope.get('/', async (request) => `${lockOf(request)?.held}`)
})

app.post<Params>('/import/:id', async (request, reply) => {
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
