import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { mount } from 'hono/mount'
import { describe, expect, it } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import { lock, type LockVariables, throttle } from '../../src/entries/hono.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
import { later } from '../support/signals.ts'

type Env = { Variables: LockVariables }
type Build = (key: string) => (request: Request) => Response | Promise<Response>

/** The tests of locks in locks, where Hono, mounted apps and functions call each other. */
export const nested = (name: string, servers: readonly RestNodeOptions[]): void => {
  // Six requests at once of one invocation are more than the free plan of Workers allows.
  const redlock = new Redlock({ nodes: servers, budget: 1_000 })
  const { heldBy, noneLeft } = heldOn(servers)
  const pause: MiddlewareHandler = async (_, next) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await next()
  }
  /** What each handler waits for. */
  let entered = async (): Promise<void> => {}
  const held = async (c: Context<Env>): Promise<Response> => {
    await entered()
    return c.text(`held ${c.var.lock?.held}`)
  }
  const inHono = (key: string, ...between: MiddlewareHandler[]): Hono<Env> => {
    const app = new Hono<Env>()
    for (const middleware of between) app.use(middleware)
    return app.all('*', lock({ redlock: new Redlock({ nodes: servers }), key }), held)
  }
  const inFunction = (key: string) =>
    withLock({ redlock, key }, async (_request, _env, _ctx, lock) => {
      await entered()
      return new Response(`held ${lock?.held}`)
    })

  /** Each of them locks the key outside and inside. */
  const builds: Readonly<Record<string, Build>> = {
    'lock() around withLock(c.req.raw)': (key) => {
      const inner = inFunction(key)
      return new Hono().use(lock({ redlock, key }), pause).post('*', (c) => inner(c.req.raw)).fetch
    },
    'withLock() around the app that has lock()': (key) => {
      const inner = inHono(key, pause)
      return withLock({ redlock, key }, async (request) => {
        await Promise.resolve()
        return inner.fetch(request)
      })
    },
    'withLock() around lock() around withLock()': (key) => {
      const inner = inFunction(key)
      const app = new Hono().use(lock({ redlock, key })).post('*', (c) => inner(c.req.raw))
      return withLock({ redlock, key }, (request) => app.fetch(request))
    },
    'lock() around an app that gets the request': (key) => {
      const inner = inHono(key, pause)
      return new Hono().use(lock({ redlock, key }), pause).post('*', (c) => inner.fetch(c.req.raw))
        .fetch
    },
    'lock() around app.mount()': (key) =>
      new Hono().use(lock({ redlock, key })).mount('/a', inHono(key).fetch).fetch,
    'lock() around the handler of hono/mount': (key) =>
      new Hono().use(lock({ redlock, key })).use('/a/*', mount(inHono(key).fetch)).fetch,
    'lock() around mounted apps in each other': (key) =>
      new Hono()
        .use(lock({ redlock, key }))
        .mount('/a', new Hono().mount('/b', inHono(key).fetch).fetch).fetch,
    'lock() and throttle() around app.mount()': (key) =>
      new Hono()
        .use(lock({ redlock, key }))
        .use(throttle({ redlock, key, window: 60_000 }))
        .mount('/a', inHono(key).fetch).fetch,
    'lock() and one without a key around app.mount()': (key) =>
      new Hono()
        .use(lock({ redlock, key }))
        .use(lock({ redlock, key: () => null }))
        .mount('/a', inHono(key).fetch).fetch,
    'lock() around app.mount() of a function': (key) =>
      new Hono().use(lock({ redlock, key })).mount('/a', inFunction(key)).fetch,
    'lock() around app.mount(), which passes the request on, behind a pause': (key) =>
      new Hono()
        .use(lock({ redlock, key }), pause)
        .mount('/a', inHono(key, pause).fetch, { replaceRequest: false }).fetch,
    'lock() in lock(), with a middleware between them that replaces the request': (key) =>
      new Hono<Env>()
        .use(lock({ redlock, key }))
        .use(bodyLimit({ maxSize: 1000 }))
        .use(lock({ redlock, key }))
        .post('*', held).fetch,
    'lock() around withLock() of the request as throttle() got it': (key) => {
      const inner = inFunction(key)
      const first = new WeakMap<Context, Request>()
      return new Hono()
        .use(async (c, next) => {
          first.set(c, c.req.raw)
          await next()
        })
        .use(throttle({ redlock, key: freshKey, window: 60_000 }))
        .use(bodyLimit({ maxSize: 1000 }))
        .use(lock({ redlock, key }), pause)
        .post('*', (c) => inner(first.get(c)!)).fetch
    },
    'lock() around withLock(c.req.raw), with the request replaced': (key) => {
      const inner = inFunction(key)
      return new Hono()
        .use(lock({ redlock, key }))
        .use(bodyLimit({ maxSize: 1000 }))
        .use(lock({ redlock, key: () => null }))
        .post('*', (c) => inner(c.req.raw)).fetch
    },
  }
  const post = (path = '/a/b/c'): Request =>
    new Request(`https://example.com${path}`, { method: 'POST', body: 'body' })

  describe(`${name}: the same key`, () => {
    it.each(Object.entries(builds))('is reentered by %s', async (_, build) => {
      const key = freshKey()
      const handle = build(key)
      const response = await handle(post())
      expect([response.status, await response.text()]).toEqual([200, 'held true'])
      await noneLeft(key)
      // Another request is rejected while one holds the lock.
      const outside = await redlock.acquire(key)
      expect([409, 429]).toContain((await handle(post())).status)
      await outside.release()
    })

    it('is not reentered where a middleware awaits before the request is copied', async () => {
      const key = freshKey()
      const app = new Hono().use(lock({ redlock, key }), pause).mount('/a', inHono(key).fetch)
      expect((await app.fetch(post())).status).toBe(409)
      await noneLeft(key)
    })
  })

  describe(`${name}: what is not the same`, () => {
    it('another prefix, another key or a key more is a lock of its own', async () => {
      const [key, other] = [freshKey(), freshKey()]
      const elsewhere = new Redlock({ nodes: servers, prefix: 'other:' })
      const inner = (options: Parameters<typeof lock>[0]): Hono<Env> =>
        new Hono<Env>().all('*', lock(options), async (c) =>
          c.json({
            prefixed: (await heldBy(key, 'other:')).filter(Boolean).length > 2,
            other: (await heldBy(other)).filter(Boolean).length > 2,
          }),
        )
      const around = (app: Hono<Env>): Response | Promise<Response> =>
        new Hono().use(lock({ redlock, key })).mount('/a', app.fetch).fetch(post())
      const prefixed = await around(inner({ redlock: elsewhere, key }))
      expect(await prefixed.json()).toEqual({ prefixed: true, other: false })
      const another = await around(inner({ redlock, key: other }))
      expect(await another.json()).toEqual({ prefixed: false, other: true })
      expect((await around(inner({ redlock, key: [key, other] }))).status).toBe(409)
      for (const one of [key, other]) await noneLeft(one)
      await noneLeft(key, 'other:')
    })

    it('requests that one handler sends exclude each other, and reenter its own lock', async () => {
      const [key, shared] = [freshKey(), freshKey()]
      let running = 0
      let rejected = 0
      let resolve = (): void => {}
      const othersAreRejected = new Promise<void>((done) => (resolve = done))
      const inner = withLock({ redlock, key: [shared] }, async () => {
        if (++running > 1) resolve()
        await othersAreRejected
        return new Response('inner')
      })
      const app = new Hono().use(lock({ redlock, key })).post('*', async (c) => {
        const requests = Array.from({ length: 5 }, () => inner(new Request(c.req.url)))
        const own = inFunction(key)(new Request(c.req.url))
        const statusOf = async (request: Promise<Response>): Promise<number> => {
          const { status } = await request
          if (status === 409 && ++rejected === 4) resolve()
          return status
        }
        const statuses = await Promise.all(requests.map(statusOf))
        return c.json({
          statuses: statuses.toSorted((a, b) => a - b),
          own: await (await own).text(),
        })
      })
      const answer = (await (await app.fetch(post())).json()) as { statuses: number[]; own: string }
      expect(running).toBe(1)
      expect(answer.statuses).toEqual([200, 409, 409, 409, 409])
      expect(answer.own).toBe('held true')
      for (const one of [key, shared]) await noneLeft(one)
    })

    it('requests at the same time exclude each other, whatever is nested', async () => {
      for (const build of Object.values(builds)) {
        const key = freshKey()
        const handle = build(key)
        // No handler ends before each request has entered one or was rejected.
        let open = 6
        const { promise: decided, resolve: decide } = later()
        const note = (): void => void (--open === 0 && decide())
        entered = () => {
          note()
          return decided
        }
        const requests = Array.from({ length: open }, async () => {
          const { status } = await handle(post())
          if (status !== 200) note()
          return status
        })
        const statuses = await Promise.all(requests)
        entered = async () => {}
        expect(statuses.filter((status) => status === 200)).toHaveLength(1)
        await noneLeft(key)
      }
    })

    it('throttles of the same key: each counts, so the second rejects', async () => {
      const key = freshKey()
      const options = { redlock, key, window: 60_000 }
      const app = new Hono().use(throttle(options)).post('*', throttle(options), (c) => c.text(''))
      expect((await app.fetch(post())).status).toBe(429)
    })
  })
}
