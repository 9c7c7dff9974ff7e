import { fromEnv, type Lock, lockKey, Redlock } from 'edge-redlock'
import { durableObjectNodes, RedlockNode } from 'edge-redlock/durable-object'
import { withLock, withThrottle } from 'edge-redlock/fetch'
import { app } from './app'

// `lock.nonsense` compiles if `Lock` has become an any, because a name in its declaration does not resolve.
export const job = async (lock: Lock): Promise<void> => {
  // @ts-expect-error -- a lock has no such method
  lock.nonsense()
  await lock[Symbol.asyncDispose]()
}

const locked = withLock(
  { redlock: (_request, env: Env) => fromEnv(env), key: 'report' },
  async (request, env, _ctx, lock) => {
    lock?.signal.throwIfAborted()
    // @ts-expect-error -- nor is the lock of the handler an any
    lock?.nonsense()
    await env.JOBS.send(request.url)
    return new Response('done')
  },
)
export const withContext = withLock(
  { redlock: (_request: Request, env: Env) => fromEnv(env), key: 'report' },
  async (request, env: Env, ctx: ExecutionContext) => {
    ctx.waitUntil(env.JOBS.send(request.url))
    return new Response('done')
  },
)
export const throttled = withThrottle(
  { redlock: (_request, env: Env) => fromEnv(env), key: 'report', window: 5_000 },
  () => new Response('done'),
)

export { RedlockNode }

// The class can be extended, and its namespace can belong to a jurisdiction.
export class OwnNode extends RedlockNode {
  override async run(...request: Parameters<RedlockNode['run']>) {
    return super.run(...request)
  }
}
export const overObjects = (env: Env): Redlock =>
  new Redlock({
    nodes: [
      ...durableObjectNodes(env.REDLOCK, { locations: ['weur', 'enam'] }),
      ...durableObjectNodes(env.REDLOCK.jurisdiction('eu'), { count: 1, name: 'eu' }),
      // @ts-expect-error -- there is no such region
      ...durableObjectNodes(env.REDLOCK, { locations: ['mars'] }),
    ],
  })

export default {
  fetch: (request, env, ctx) =>
    request.method === 'POST' ? locked(request, env, ctx) : app.fetch(request, env, ctx),
  async scheduled(_controller, env) {
    const redlock = fromEnv(env, { ttl: 30_000 })
    await redlock.using('nightly', async (lock) => {
      // @ts-expect-error -- nor is that of a routine
      lock.nonsense()
      await job(lock)
    })
  },
  async queue(batch, env) {
    const redlock = fromEnv(env)
    for (const { id } of batch.messages) {
      await using lock = await redlock.acquire(lockKey('job', id))
      lock.held
    }
  },
} satisfies ExportedHandler<Env>

export const direct = { fetch: locked } satisfies ExportedHandler<Env>
export const second = { fetch: withContext } satisfies ExportedHandler<Env>
