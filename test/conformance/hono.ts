import { Hono } from 'hono'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { lock, type LockVariables } from '../../src/entries/hono.ts'
import { fromEnv, type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { during, gate, withFault } from '../support/faults.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
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
  const { heldBy, noneLeft } = heldOn(servers)

  describe(`${name}: lock`, () => {
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

    it('releases after a request without a route', async () => {
      const key = freshKey()
      const app = new Hono().use(lock({ redlock, key }))
      expect((await app.request('/')).status).toBe(404)
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
        await eventually(async () => expect(await heldBy(key)).not.toContain(null))
        await heldBy(key)
        // If the client disconnected now, only waitUntil would keep the later release alive.
        expect(finished).not.toHaveBeenCalled()
        return c.text('done')
      })
      expect(await (await app.request('/', {}, {}, context)).text()).toBe('done')
      await eventually(() => expect(finished).toHaveBeenCalled())
      await noneLeft(key)
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
}
