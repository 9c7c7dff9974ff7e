import { type Context, Hono } from 'hono'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { lock, type LockVariables, type RequestRefusal, throttle } from '../../src/hono/index.ts'
import { fromEnv, type Lock, lockKey, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { during, type Fault, gate, refuse, withFault } from '../support/faults.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'

/** An execution context that collects the work passed to `waitUntil`. */
const executionContext = (): {
  waitUntil: (work: Promise<unknown>) => void
  passThroughOnException: () => void
  props: object
  finished: () => Promise<unknown>
} => {
  const works: Promise<unknown>[] = []
  return {
    waitUntil: (work) => void works.push(work),
    passThroughOnException: () => {},
    props: {},
    finished: () => Promise.all(works),
  }
}

/** The tests of the middleware with real Redis servers, for every runtime. */
export const middleware = (name: string, servers: readonly RestNodeOptions[]): void => {
  const redlock = new Redlock({ nodes: servers })
  const behind = overRest(servers)
  const failing = (fault: Fault): Redlock =>
    new Redlock({ nodes: servers.map((node) => withFault(node, fault)), ttl: 2000 })
  const none = servers.map(() => null)
  const noneLeft = (key: string): Promise<void> =>
    eventually(async () => expect(await holders(behind, `lock:l:${key}`)).toEqual(none))

  describe(`${name}: lock`, () => {
    it('runs one request per key at a time, and refuses the others with Retry-After', async () => {
      const key = freshKey()
      let running = 0
      let maxRunning = 0
      let finish!: () => void
      const finished = new Promise<void>((resolve) => (finish = resolve))
      const app = new Hono().post(
        '/:id',
        lock({ redlock, key: (c) => c.req.param('id') }),
        async (c) => {
          maxRunning = Math.max(maxRunning, ++running)
          await finished
          running--
          return c.text('done')
        },
      )
      const statuses: number[] = []
      const post = async (): Promise<Response> => {
        const response = await app.request(`/${key}`, { method: 'POST' })
        statuses.push(response.status)
        return response
      }
      const responses = Array.from({ length: 5 }, post)
      const refused = await Promise.race(responses)
      expect(refused.status).toBe(409)
      expect(refused.headers.get('content-type')).toBe('application/problem+json')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(await refused.json()).toEqual({
        title: 'Conflict',
        status: 409,
        detail: 'Another request is being processed. Please try again in a moment.',
      })
      // A request that still tries would get the lock once it is free.
      await eventually(() => expect(statuses).toEqual([409, 409, 409, 409]))
      finish()
      await Promise.all(responses)
      expect(statuses.at(-1)).toBe(200)
      expect(maxRunning).toBe(1)
    })

    it('sets the lock in the context, and removes it after the handler', async () => {
      const key = freshKey()
      const seen: (Lock | undefined)[] = []
      const app = new Hono<{ Variables: LockVariables }>()
      app.use(async (c, next) => {
        await next()
        seen.push(c.var.lock)
      })
      app.get('/', lock({ redlock, key }), (c) => {
        expectTypeOf(c.var.lock).toEqualTypeOf<Lock | undefined>()
        seen.push(c.var.lock)
        return c.text(String(c.var.lock?.held))
      })
      const response = await app.request('/')
      expect(await response.text()).toBe('true')
      expect(seen[0]?.keys).toEqual([key])
      expect(seen[1]).toBeUndefined()
      await noneLeft(key)
      expect(seen[0]?.held).toBe(false)
    })

    it('restores the lock of the outer middleware, which has another key', async () => {
      const [outer, inner] = [freshKey(), freshKey()]
      const app = new Hono<{ Variables: LockVariables }>()
      const held: (readonly string[] | undefined)[] = []
      app.use(lock({ redlock, key: outer }))
      app.use(async (c, next) => {
        await next()
        held.push(c.var.lock?.keys)
      })
      app.get('/', lock({ redlock, key: inner }), (c) => {
        held.push(c.var.lock?.keys)
        return c.text('')
      })
      await (await app.request('/')).text()
      expect(held).toEqual([[inner], [outer]])
      await noneLeft(outer)
      await noneLeft(inner)
    })

    it.each([
      ['a response', (c: Context): Response => c.text('done'), 200],
      ['no body', (c: Context): Response => c.body(null, 204), 204],
      ['not modified', (c: Context): Response => c.body(null, 304), 304],
      ['an Error', (): Promise<Response> => Promise.reject(new Error('mistake')), 500],
      ['no route', undefined, 404],
    ])('releases after %s', async (_, handler, status) => {
      const key = freshKey()
      const app = new Hono().use(lock({ redlock, key })).onError((_error, c) => c.text('', 500))
      if (handler) app.get('/', handler)
      const response = await app.request('/')
      expect(response.status).toBe(status)
      await response.text()
      // Without waitUntil, the end of the body waits for the release.
      expect((await holders(behind, `lock:l:${key}`)).filter(Boolean).length).toBeLessThan(3)
      await noneLeft(key)
    })

    it('releases after a thrown value that is no Error', async () => {
      const key = freshKey()
      const app = new Hono().get('/', lock({ redlock, key }), () => {
        throw 'a string'
      })
      await expect(Promise.resolve(app.request('/'))).rejects.toBe('a string')
      await noneLeft(key)
    })

    it('releases at once after HEAD, since nobody reads its body', async () => {
      const key = freshKey()
      const app = new Hono().get('/', lock({ redlock, key }), (c) => c.text('long'))
      expect((await app.request('/', { method: 'HEAD' })).status).toBe(200)
      await noneLeft(key)
    })

    it('cancels a stream after HEAD, and covers the clean-up of its source', async () => {
      const key = freshKey()
      let stored: unknown
      const app = new Hono().get('/', lock({ redlock, key }), (c) =>
        c.body(
          new ReadableStream({
            cancel: async () => {
              stored = await redlock.tryAcquire(key)
            },
          }),
        ),
      )
      expect((await app.request('/', { method: 'HEAD' })).status).toBe(200)
      expect(stored).toMatchObject({ ok: false, reason: 'locked' })
      await noneLeft(key)
    })

    it('holds and extends the lock until a streamed body has ended', async () => {
      const key = freshKey()
      let end!: () => void
      const ended = new Promise<void>((resolve) => (end = resolve))
      const extended = vi.fn<Fault>((_, send) => send())
      const client = failing(during('e', extended))
      const app = new Hono().get('/', lock({ redlock: client, key, ttl: 1000 }), (c) => {
        const body = new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('begin,'))
            await ended
            controller.enqueue(new TextEncoder().encode('end'))
            controller.close()
          },
        })
        return c.body(body)
      })
      const reading = (await app.request('/')).text()
      await vi.waitFor(() => expect(extended.mock.calls.length).toBeGreaterThan(15), 30_000)
      expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      end()
      expect(await reading).toBe('begin,end')
      await noneLeft(key)
    })

    it('releases when the client stops reading', async () => {
      const key = freshKey()
      const app = new Hono().get('/', lock({ redlock, key, ttl: 60_000 }), (c) =>
        c.body(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(9)) })),
      )
      const response = await app.request('/')
      await response.body!.cancel()
      await noneLeft(key)
    })

    it('returns the response unchanged when the release fails', async () => {
      const key = freshKey()
      const client = failing(during('r', refuse))
      const app = new Hono().get('/', lock({ redlock: client, key }), (c) => c.text('intact'))
      const response = await app.request('/')
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('intact')
    })

    it('passes the release to waitUntil, without delaying the response', async () => {
      const key = freshKey()
      const context = executionContext()
      const releasing = gate()
      const client = new Redlock({
        nodes: servers.map((node) => withFault(node, during('r', releasing.fault))),
        nodeTimeout: 60_000,
        ttl: 300_000,
      })
      const app = new Hono().get('/', lock({ redlock: client, key }), (c) => c.text('done'))
      const response = await app.request('/', {}, {}, context)
      expect(await response.text()).toBe('done')
      await eventually(() => expect(releasing.arrived()).toBe(5))
      releasing.open()
      await context.finished()
      await noneLeft(key)
    })

    it('keeps waitUntil pending from before the handler runs until the lock is released', async () => {
      const key = freshKey()
      const context = executionContext()
      const finished = vi.fn<() => void>()
      const app = new Hono().get('/', lock({ redlock, key, ttl: 60_000 }), async (c) => {
        void context.finished().then(finished)
        // When every node holds the lock, no request of the acquire is pending.
        await eventually(async () =>
          expect(await holders(behind, `lock:l:${key}`)).not.toContain(null),
        )
        await holders(behind, `lock:l:${key}`)
        // If the client disconnected now, only waitUntil would keep the later release alive.
        expect(finished).not.toHaveBeenCalled()
        return c.text('done')
      })
      expect(await (await app.request('/', {}, {}, context)).text()).toBe('done')
      await eventually(() => expect(finished).toHaveBeenCalled())
      await noneLeft(key)
    })

    it('waits for the lock if `wait` is set', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const app = new Hono().get('/', lock({ redlock, key, wait: 20_000 }), (c) => c.text('done'))
      const waiting = Promise.resolve(app.request('/'))
      await held.release()
      expect((await waiting).status).toBe(200)
    })

    it('responds 503 when no quorum can be reached', async () => {
      const app = new Hono().get('/', lock({ redlock: failing(refuse), key: freshKey() }), (c) =>
        c.text('done'),
      )
      const response = await app.request('/')
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toMatchObject({ title: 'Service Unavailable', status: 503 })
    })

    it('responds with onRefused if it returns a response, and with the status of statuses', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const options = {
        statuses: { locked: 423 },
        onRefused: ({ reason, status, retryAfter, nodes }: RequestRefusal, c: Context) =>
          reason === 'unavailable'
            ? c.text('down', 500)
            : c.req.query('default') === undefined
              ? c.json({ reason, soon: retryAfter! > 0, told: nodes!.length > 2 }, status as 423)
              : undefined,
      }
      const app = new Hono()
        .get('/held', lock({ redlock, key, ...options }), (c) => c.text(''))
        .get('/down', lock({ redlock: failing(refuse), key, ...options }), (c) => c.text(''))
      const locked = await app.request('/held')
      expect(locked.status).toBe(423)
      expect(await locked.json()).toEqual({ reason: 'locked', soon: true, told: true })
      const usual = await app.request('/held?default')
      expect(usual.status).toBe(423)
      expect(await usual.json()).toEqual({
        status: 423,
        detail: 'Another request is being processed. Please try again in a moment.',
      })
      expect((await app.request('/down')).status).toBe(500)
      await held.release()
    })

    it('creates the client from the bindings of a request, and lets requests without a key pass', async () => {
      const key = freshKey()
      type Env = { Bindings: { REDLOCK_NODES: string } }
      const app = new Hono<Env & { Variables: LockVariables }>().get(
        '/:id?',
        lock({ redlock: (c) => fromEnv(c.env), key: (c) => c.req.param('id') ?? null }),
        (c) => c.json(c.var.lock?.keys ?? null),
      )
      const env = { REDLOCK_NODES: JSON.stringify(servers) }
      expect(await (await app.request(`/${key}`, {}, env)).json()).toEqual([key])
      expect(await (await app.request('/', {}, env)).json()).toBeNull()
    })
  })

  describe(`${name}: throttle`, () => {
    it('lets one of ten simultaneous requests pass, and tells the others when to retry', async () => {
      const user = freshKey()
      const app = new Hono().post(
        '/submit/:user',
        throttle({ redlock, window: 60_000, key: (c) => lockKey('submit', c.req.param('user')) }),
        (c) => c.text('submitted', 202),
      )
      const responses = await Promise.all(
        Array.from({ length: 10 }, async () => app.request(`/submit/${user}`, { method: 'POST' })),
      )
      const refused = responses.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(9)
      expect(responses.filter(({ status }) => status === 202)).toHaveLength(1)
      const { headers } = refused[0]!
      const retryAfter = Number(headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThan(50)
      expect(retryAfter).toBeLessThanOrEqual(60)
      expect(headers.get('ratelimit')).toBe(`"throttle";r=0;t=${retryAfter}`)
      expect(headers.get('ratelimit-policy')).toBe('"throttle";q=1;w=60')
      expect(await refused[0]!.json()).toMatchObject({ title: 'Too Many Requests', status: 429 })
    })

    it('responds 503 when no quorum can be reached, and lets requests without a key pass', async () => {
      const options = { redlock: failing(refuse), window: 1000 }
      const app = new Hono()
        .get('/', throttle({ ...options, key: freshKey() }), (c) => c.text('done'))
        .get('/free', throttle({ ...options, key: () => null }), (c) => c.text('done'))
      expect((await app.request('/')).status).toBe(503)
      expect((await app.request('/free')).status).toBe(200)
    })
  })
}
