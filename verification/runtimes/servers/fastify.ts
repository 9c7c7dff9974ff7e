import fastify from 'fastify'
import { routes } from '../node-app.ts'

const app = fastify()
for (const { method, path, middleware, handle, isParsedBefore } of routes) {
  const hooks = [...middleware]
  // Fastify parses the body between the two.
  const options = isParsedBefore === undefined ? { onRequest: hooks } : { preHandler: hooks }
  app[method](path, options, async (request, reply) => {
    const { status = 200, headers = {}, body } = await handle(request)
    return reply.code(status).headers(headers).send(body)
  })
}

void app
  .listen({ host: '127.0.0.1', port: 0 })
  .then((url) => console.log(`listening on ${new URL(url).port}`))
