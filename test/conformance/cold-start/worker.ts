import { Redlock, type RestNodeOptions, throttle } from '../../../src/index.ts'
import { farSlowness, slowClock } from '../../support/slow-clock.ts'

// A Worker that opens its first connections when it is first asked for a lock or a throttle.

type Env = { readonly REDLOCK_NODES: string }
type Context = { waitUntil(work: Promise<unknown>): void }

let redlock: Redlock | undefined

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const key = searchParams.get('key')
    if (!key) return new Response('up')
    redlock ??= new Redlock({
      nodes: JSON.parse(env.REDLOCK_NODES) as RestNodeOptions[],
      advanced: { clock: slowClock(farSlowness) },
    })
    const waitUntil = (work: Promise<unknown>): void => context.waitUntil(work)
    if (pathname === '/throttle') {
      return Response.json(await throttle(redlock, key, { window: 5_000, waitUntil }))
    }
    const ttl = searchParams.has('ttl') && { ttl: Number(searchParams.get('ttl')) }
    return Response.json(await redlock.tryAcquire(key, { ...ttl, waitUntil }))
  },
}
