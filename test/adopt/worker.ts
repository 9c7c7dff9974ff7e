import { fromEnv, serialize } from '../../src/index.ts'

/** Acquires the lock that the path names, and returns it serialized, like a message for a queue. */
export default {
  fetch: async (request: Request, env: Record<string, unknown>): Promise<Response> => {
    const key = new URL(request.url).pathname.slice(1)
    if (!key) return new Response('ready')
    const lock = await fromEnv(env).acquire(key, { ttl: 20_000, metadata: 'the Worker' })
    return Response.json({ job: key, lock: serialize(lock) })
  },
}
