import { fromEnv, lockKey } from 'edge-redlock'
import { idempotent, lock, throttle } from 'edge-redlock/node'
import fastify, { type FastifyRequest } from 'fastify'

// Middleware inside the options of a route.

const redlock = fromEnv()
const app = fastify()
app.post('/a', { preHandler: lock({ redlock, key: 'a' }) }, async () => ({}))
app.post(
  '/b',
  { preHandler: lock({ redlock, key: (req) => lockKey('a', req.url!) }) },
  async () => ({}),
)
app.post(
  '/c',
  { preHandler: [lock({ redlock, key: (req: FastifyRequest) => lockKey('a', req.ip) })] },
  async () => ({}),
)
app.post(
  '/d',
  {
    preHandler: throttle({
      redlock,
      key: (req: FastifyRequest) => lockKey('a', req.ip),
      window: 1_000,
    }),
  },
  async (request) => ({ a: request.ip }),
)
app.post(
  '/e',
  { preHandler: idempotent({ redlock, scope: () => 'all' }) },
  async (request, reply) => reply.send({ a: request.ip }),
)
app.post<{ Body: { item: string } }>(
  '/f',
  { preHandler: idempotent({ redlock, scope: () => 'all' }) },
  async (request, reply) => reply.send({ a: request.body.item }),
)
app.addHook('preHandler', lock({ redlock, key: (req) => req.url! }))
app.route({
  method: 'POST',
  url: '/g',
  preHandler: lock({ redlock, key: 'a' }),
  handler: async () => ({}),
})
