import { type Context, Hono } from 'hono'
import { timeout } from 'hono/timeout'
import { describe, expect, it, vi } from 'vitest'
import { lock, type LockVariables, throttle } from '../../src/entries/hono.ts'
import {
  inspect,
  isLockLostError,
  type Lock,
  type LockEvent,
  Redlock,
  type RedlockOptions,
  type RestNodeOptions,
  throttle as throttleBy,
  withKeyNames,
} from '../../src/index.ts'
import { during, type Fault, hang, reject, slow, withFault } from '../support/faults.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey, holders } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { later } from '../support/signals.ts'

/** The tests of each option of the middleware, for every runtime. */
export const edge = (name: string, servers: readonly RestNodeOptions[]): void => {
  const { behind, heldBy, noneLeft } = heldOn(servers)
  const redlock = new Redlock({ nodes: servers })
  const clientWith = (fault: Fault, options: Partial<RedlockOptions> = {}): Redlock =>
    new Redlock({ nodes: servers.map((node) => withFault(node, fault)), ...options })
  /** Creates clients of the same nodes, and counts the requests that they send. */
  const counting = (): {
    client: (options?: Partial<RedlockOptions>) => Redlock
    requests: () => number
  } => {
    const fault = vi.fn<Fault>((_, send) => send())
    const nodes = servers.map((node) => withFault(node, fault))
    return {
      client: (options) => new Redlock({ nodes, ...options }),
      requests: () => fault.mock.calls.length,
    }
  }

  describe(`${name}: rejections`, () => {
    it('responds with problem+json, whatever the client accepts', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const app = new Hono().get('/', lock({ redlock, key }), (c) => c.text(''))
      const response = await app.request('/', { headers: { accept: 'text/plain' } })
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.json()).toEqual({
        type: 'urn:edge-redlock:ERL02',
        title: 'Conflict',
        status: 409,
        detail: 'Another request is being processed. Please try again in a moment.',
        reason: 'locked',
      })
      await held.release()
    })

    it('lets requests pass without a lock if failOpen is set, and reports an event', async () => {
      const events: LockEvent[] = []
      const client = clientWith(reject, { onEvent: (event) => events.push(event) })
      const options = { redlock: client, key: freshKey(), failOpen: true }
      const app = new Hono<{ Variables: LockVariables }>()
        .get('/lock', lock(options), (c) => c.json({ has: c.var.lock !== undefined }))
        .get('/throttle', throttle({ ...options, window: 1000 }), (c) => c.text('passed'))
        .get('/keep', throttle({ ...options, window: 1000, countIf: () => false }), (c) =>
          c.text('passed'),
        )
      expect(await (await app.request('/lock')).json()).toEqual({ has: false })
      expect(await (await app.request('/throttle')).text()).toBe('passed')
      expect(await (await app.request('/keep')).text()).toBe('passed')
      const told = events.filter(({ type }) => type === 'failed-open')
      expect(told).toHaveLength(3)
      expect(told[0]).toMatchObject({ keys: [options.key], reason: 'unavailable' })
      expect(events.map(({ type }) => type)).not.toContain('rejected')
    })

    it('does not fail open when somebody else holds the lock', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const app = new Hono().get('/', lock({ redlock, key, failOpen: true }), (c) => c.text(''))
      expect((await app.request('/')).status).toBe(409)
      await held.release()
    })

    it('does not fail open for a `wait` that is shorter than the nodes take', async () => {
      const events: LockEvent[] = []
      const key = freshKey()
      const held = await redlock.acquire(key)
      // Longer than a busy machine stands still: an answer that is there when `wait` ends counts.
      const client = clientWith(slow(10_000), { onEvent: (event) => events.push(event) })
      let runs = 0
      const app = new Hono().get(
        '/',
        lock({ redlock: client, key, failOpen: true, wait: 30 }),
        (c) => c.text(`${++runs}`),
      )
      const answers = await Promise.all([1, 2, 3].map(async () => app.request('/')))
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(runs).toBe(0)
      expect(events.map(({ type }) => type)).not.toContain('failed-open')
      await held.release()
    })

    it('stops waiting when the client disconnects', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      const app = new Hono()
        .get('/', lock({ redlock, key, wait: 60_000 }), (c) => c.text(''))
        .onError((_error, c) => c.text('', 500))
      const controller = new AbortController()
      const waiting = app.request('/', { signal: controller.signal })
      controller.abort(new Error('gone'))
      expect((await waiting).status).toBe(500)
      await held.release()
      await noneLeft(key)
    })
  })

  describe(`${name}: the lock of a request`, () => {
    it('is reentered by nested middleware, and released by the outermost', async () => {
      const [key, other] = [freshKey(), freshKey()]
      const { client, requests } = counting()
      const seen: (Lock | undefined)[] = []
      let asked = 0
      const app = new Hono<{ Variables: LockVariables }>()
        .use(lock({ redlock: client(), key: [key, other] }))
        .use(async (c, next) => {
          await eventually(() => expect(requests()).toBe(5))
          await next()
          seen.push(c.var.lock)
          expect(await heldBy(key)).not.toContain(null)
          asked = requests()
        })
        // Another client of the same nodes, as when a client is created per request.
        .get('/', lock({ redlock: () => client(), key }), (c) => {
          seen.push(c.var.lock)
          return c.body(null, 204)
        })
      expect((await app.request('/')).status).toBe(204)
      expect(asked).toBe(5)
      expect(seen.map((lock) => lock!.value)).toEqual(Array(2).fill(seen[0]!.value))
      await noneLeft(key)
    })

    it('is not reentered by a client with another prefix or other nodes', async () => {
      const key = freshKey()
      // With another fetch, the same URLs and tokens count as other nodes, which hold no lock.
      const nowhere = clientWith(reject)
      const other = new Hono()
        .use(lock({ redlock, key }))
        .get('/', lock({ redlock: nowhere, key }), (c) => c.text('passed'))
      expect((await other.request('/')).status).toBe(503)
      await noneLeft(key)
      const elsewhere = new Redlock({ nodes: servers, prefix: 'other:' })
      const app = new Hono<{ Variables: LockVariables }>()
        .use(lock({ redlock, key }))
        .get('/', lock({ redlock: elsewhere, key }), async (c) => {
          const { value, metadata } = c.var.lock!
          expect(await holders(behind, `other:l:${key}`)).toContain(`${value} ${metadata}`)
          return c.body(null, 204)
        })
      expect((await app.request('/')).status).toBe(204)
      await noneLeft(key)
    })

    it('is reentered by a client that names its Redis keys in the same way, and by no other', async () => {
      const key = freshKey()
      const named = (begin: string): Redlock =>
        withKeyNames(new Redlock({ nodes: servers }), (name) => begin + name)
      const values: string[] = []
      const app = new Hono<{ Variables: LockVariables }>()
        .use(lock({ redlock: () => named('mutex:'), key }))
        .use(async (c, next) => {
          values.push(c.var.lock!.value)
          await next()
        })
        .get('/same', lock({ redlock: () => named('mutex:'), key }), (c) =>
          c.text(c.var.lock!.value),
        )
        .get('/other', lock({ redlock: () => named('other:'), key }), (c) =>
          c.text(c.var.lock!.value),
        )
      expect(await (await app.request('/same')).text()).toBe(values[0])
      await eventually(async () =>
        expect(await holders(behind, `mutex:${key}`)).toEqual(servers.map(() => null)),
      )
      const other = await app.request('/other')
      expect(other.status).toBe(200)
      expect(await other.text()).not.toBe(values[1])
    })

    it('is hidden from a handler whose nested key is undefined, and restored afterwards', async () => {
      const key = freshKey()
      const seen: boolean[] = []
      const app = new Hono<{ Variables: LockVariables }>()
        .use(lock({ redlock, key }))
        .use(async (c, next) => {
          await next()
          seen.push(c.var.lock !== undefined)
        })
        .get('/', lock({ redlock, key: () => null }), (c) => {
          seen.push(c.var.lock !== undefined)
          return c.body(null, 204)
        })
      await app.request('/')
      expect(seen).toEqual([false, true])
      await noneLeft(key)
    })

    it('is held until the handler ends, even if an outer timeout has responded', async () => {
      const key = freshKey()
      const { promise: finished, resolve: finish } = later()
      const app = new Hono()
        .use(timeout(100))
        .use(lock({ redlock, key, ttl: 60_000 }))
        .get('/', async (c) => {
          await finished
          return c.text('late')
        })
      expect((await app.request('/')).status).toBe(504)
      expect((await redlock.tryAcquire(key)).ok).toBe(false)
      finish()
      await noneLeft(key)
    })

    it('stores the metadata of the request', async () => {
      const key = freshKey()
      const metadata = (c: Context): string => `request ${c.req.query('id')}`
      const app = new Hono().get('/', lock({ redlock, key, metadata }), async (c) =>
        c.json((await inspect(redlock, key)).metadata ?? null),
      )
      expect(await (await app.request('/?id=7')).json()).toBe('request 7')
    })

    it('is released before the body with `releaseAfter: response`', async () => {
      const key = freshKey()
      const options = { redlock, key, releaseAfter: 'response' } as const
      const app = new Hono().get('/', lock(options), (c) => c.body(new ReadableStream()))
      const response = await app.request('/')
      await noneLeft(key)
      await response.body!.cancel()
    })

    it('is released when nobody reads the body: at once if the body is short', async () => {
      const [key, other] = [freshKey(), freshKey()]
      const pull = (controller: ReadableStreamDefaultController): void =>
        controller.enqueue(new Uint8Array(50_000))
      const app = new Hono()
        .get('/short', lock({ redlock, key }), (c) => c.text('short'))
        .get('/long', lock({ redlock, key: other, ttl: 1200 }), (c) =>
          c.body(new ReadableStream({ pull })),
        )
      await app.request('/short')
      await noneLeft(key)
      const dropped = await app.request('/long')
      await vi.waitFor(async () => expect(await heldBy(other)).toEqual(servers.map(() => null)), {
        timeout: 20_000,
      })
      await expect(dropped.text()).rejects.toThrow('The body was not read in time')
    })

    it('accepts strings and empty chunks in the body', async () => {
      const key = freshKey()
      const chunks = ['one ', new Uint8Array(0), 'two ', 'three']
      const app = new Hono().get('/', lock({ redlock, key }), () => {
        const body = new ReadableStream<unknown>({
          pull: (controller) =>
            chunks.length > 0 ? controller.enqueue(chunks.shift()) : controller.close(),
        })
        return new Response(body as ReadableStream<Uint8Array>)
      })
      const reader = (
        await app.request('/')
      ).body!.getReader() as ReadableStreamDefaultReader<unknown>
      const read: unknown[] = []
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        read.push(part.value)
      }
      // workerd drops empty chunks.
      expect(read.filter((chunk) => typeof chunk === 'string')).toEqual(['one ', 'two ', 'three'])
      await noneLeft(key)
    })

    it.each([
      ['between chunks', () => Promise.resolve()],
      ['while a chunk is pending', () => new Promise<void>(() => {})],
    ])('is held while a source that was cancelled %s cleans up', async (_, more) => {
      const key = freshKey()
      const { promise: cleaning, resolve: clean } = later()
      const app = new Hono().get('/', lock({ redlock, key }), (c) =>
        c.body(
          new ReadableStream({
            pull: async (controller) => {
              controller.enqueue(new Uint8Array(50_000))
              await more()
            },
            cancel: () => cleaning,
          }),
        ),
      )
      const cancelled = (await app.request('/')).body!.cancel()
      expect((await redlock.tryAcquire(key)).ok).toBe(false)
      clean()
      await cancelled
      await noneLeft(key)
    })

    it('is released even if waitUntil begins to throw', async () => {
      const key = freshKey()
      let calls = 0
      const waitUntil = () => (): void => {
        if (++calls > 1) throw new TypeError('Illegal invocation')
      }
      const app = new Hono()
        .use(lock({ redlock, key, waitUntil }))
        .get('/', lock({ redlock, key, waitUntil }), (c) => c.text('done'))
      expect(await (await app.request('/')).text()).toBe('done')
      expect(calls).toBeGreaterThan(1)
      await noneLeft(key)
    })

    it('may be released by the handler, nested or not', async () => {
      const key = freshKey()
      const app = new Hono<{ Variables: LockVariables }>()
        .use(lock({ redlock, key }))
        .use(async (c, next) => {
          await next()
          expect(c.var.lock!.held).toBe(true)
          await c.var.lock!.release()
        })
        .get('/', lock({ redlock, key }), async (c) => {
          await c.var.lock!.release()
          return c.body(null, 204)
        })
      expect((await app.request('/')).status).toBe(204)
      await noneLeft(key)
    })

    it('uses the waitUntil of the options', async () => {
      const key = freshKey()
      const works: Promise<unknown>[] = []
      const waitUntil = () => (work: Promise<unknown>) => void works.push(work)
      const app = new Hono().get('/', lock({ redlock, key, waitUntil }), (c) => c.body(null, 204))
      await app.request('/')
      expect(works.length).toBeGreaterThan(0)
      await Promise.all(works)
      expect(await heldBy(key)).toEqual(servers.map(() => null))
    })

    it('aborts its signal, and reports the loss, when the nodes hang', async () => {
      const key = freshKey()
      const events: string[] = []
      const client = clientWith(during('e', hang), {
        ttl: 2000,
        onEvent: ({ type }) => events.push(type),
      })
      const app = new Hono<{ Variables: LockVariables }>()
        .get('/signal', lock({ redlock: client, key }), async (c) => {
          const { signal } = c.var.lock!
          await vi.waitFor(() => expect(signal.aborted).toBe(true), 20_000)
          return c.text(String(isLockLostError(signal.reason)))
        })
        .get('/blind', lock({ redlock: client, key }), async (c) => {
          await vi.waitFor(() => expect(c.var.lock!.held).toBe(false), 20_000)
          return c.text('done')
        })
      expect(await (await app.request('/signal')).text()).toBe('true')
      // On a busy machine, too few nodes may answer within the short ttl.
      await eventually(async () => expect(await (await app.request('/blind')).text()).toBe('done'))
      await eventually(() =>
        expect(events.filter((type) => type === 'lost' || type === 'released')).toEqual([
          'lost',
          'released',
          'lost',
          'released',
        ]),
      )
    })
  })

  describe(`${name}: throttle`, () => {
    it('rejects requests in a cached closed window without asking nodes, also with another client', async () => {
      const key = freshKey()
      const { client, requests } = counting()
      const events: LockEvent[] = []
      const app = new Hono().get(
        '/',
        throttle({
          redlock: () => client({ onEvent: (event) => events.push(event) }),
          key,
          window: 60_000,
        }),
        (c) => c.text('passed'),
      )
      const passed = await app.request('/')
      expect(passed.headers.get('ratelimit')).toBe('"throttle";r=0;t=60')
      expect(await passed.text()).toBe('passed')
      await eventually(() => expect(requests()).toBe(5))
      for (let times = 0; times < 3; times++) {
        const rejected = await app.request('/')
        expect(rejected.status).toBe(429)
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(50)
      }
      expect(requests()).toBe(5)
      expect(events.at(-1)).toMatchObject({ type: 'rejected', attempts: 0, reason: 'locked' })
      // Another prefix means another window.
      const elsewhere = client({ prefix: 'other:' })
      expect(await throttleBy(elsewhere, key, { window: 1000 })).toMatchObject({ ok: true })
    })

    it('caches a window that another client closed, and asks again when it has ended', async () => {
      const key = freshKey()
      const { client: make, requests } = counting()
      const client = make()
      await throttleBy(redlock, key, { window: 2_000 })
      expect(await throttleBy(client, key, { window: 2_000 })).toMatchObject({ reason: 'locked' })
      const asked = requests()
      const again = await throttleBy(client, key, { window: 2_000 })
      expect(again).toMatchObject({ reason: 'locked', nodes: [] })
      expect(requests()).toBe(asked)
      await vi.waitFor(
        async () =>
          expect(await throttleBy(client, key, { window: 2_000 })).toMatchObject({ ok: true }),
        { timeout: 20_000 },
      )
    })

    it('never caches a lock', async () => {
      const key = freshKey()
      const held = await redlock.acquire(key)
      expect((await redlock.tryAcquire(key)).ok).toBe(false)
      await held.release()
      const result = await redlock.tryAcquire(key)
      expect(result.ok).toBe(true)
      if (result.ok) await result.lock.release()
    })

    it('keeps the window only if countIf returns true', async () => {
      const key = freshKey()
      const app = new Hono()
        .get(
          '/',
          throttle({ redlock, key, window: 60_000, countIf: ({ status }) => status < 400 }),
          (c) => {
            const status = c.req.query('status')
            if (status === 'error') throw new Error('a mistake')
            if (status === 'string') throw 'a mistake'
            return c.text('', Number(status) as 200)
          },
        )
        .onError((_error, c) => c.text('', 500))
      expect((await app.request('/?status=422')).status).toBe(422)
      expect((await app.request('/?status=error')).status).toBe(500)
      await expect(Promise.resolve(app.request('/?status=string'))).rejects.toBe('a mistake')
      const kept = await app.request('/?status=201')
      expect(kept.status).toBe(201)
      expect(kept.headers.get('ratelimit')).toBe('"throttle";r=0;t=60')
      expect((await app.request('/?status=201')).status).toBe(429)
    })

    it('adds its headers to a response with immutable headers', async () => {
      const app = new Hono().get('/', throttle({ redlock, key: freshKey(), window: 1000 }), () =>
        fetch(servers[0]!.url),
      )
      const response = await app.request('/')
      expect(response.status).toBe(401)
      expect(response.headers.get('ratelimit-policy')).toBe('"throttle";q=1;w=1')
      await response.text()
    })
  })
}
