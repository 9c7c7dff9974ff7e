import { type Context, Hono } from 'hono'
import { stream, streamSSE } from 'hono/streaming'
import { describe, expect, it, vi } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import { lock, type LockVariables } from '../../src/entries/hono.ts'
import { isLockLostError, type Lock, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { later } from '../support/signals.ts'

type Env = { Variables: LockVariables }
type View = { readonly keys: string | undefined; readonly held: boolean | undefined }

/** The tests of the lock as a streaming body sees it, for every runtime. */
export const streaming = (name: string, servers: readonly RestNodeOptions[]): void => {
  const redlock = new Redlock({ nodes: servers })
  const { noneLeft } = heldOn(servers)
  const view = ({ var: { lock } }: Context<Env>): View => ({
    keys: lock?.keys.join(),
    held: lock?.held,
  })
  describe.concurrent(`${name}: c.var.lock in a streaming body`, () => {
    it('is the lock, which is held, extended and has a token, until the body ends', async () => {
      const key = freshKey()
      const seen: View[] = []
      const { promise: opened, resolve: open } = later()
      const extended = vi.fn<() => void>()
      const client = new Redlock({
        nodes: servers,
        onEvent: ({ type }) => void (type === 'extended' && extended()),
      })
      let context!: Context<Env>
      const app = new Hono<Env>().get('/', lock({ redlock: client, key, ttl: 3_000 }), (c) => {
        context = c
        return stream(c, async (body) => {
          await body.write('begin,')
          await opened
          seen.push(view(c))
          const token = await c.var.lock!.fencingToken()
          await body.write(`${token > 0}`)
        })
      })
      const reading = (await app.request('/')).text()
      await vi.waitFor(() => expect(extended.mock.calls.length).toBeGreaterThan(1), 30_000)
      expect(view(context)).toEqual({ keys: key, held: true })
      open()
      expect(await reading).toBe('begin,true')
      expect(seen).toEqual([{ keys: key, held: true }])
      expect(view(context)).toEqual({ keys: undefined, held: undefined })
      await noneLeft(key)
    })

    it('is the lock of the handler where several are nested, and each ends with its body', async () => {
      const [outer, inner] = [freshKey(), freshKey()]
      const { promise: opened, resolve: open } = later()
      const seen: View[] = []
      const after: (string | undefined)[] = []
      let context!: Context<Env>
      const app = new Hono<Env>()
        .use(lock({ redlock, key: outer, ttl: 1500 }))
        .use(async (c, next) => {
          await next()
          after.push(c.var.lock?.keys.join())
        })
        .use(lock({ redlock, key: inner, ttl: 1500 }))
        // The innermost reenters the outer one.
        .get('/', lock({ redlock, key: outer }), (c) => {
          context = c
          return streamSSE(c, async (body) => {
            for (let event = 0; event < 3; event++) {
              await body.writeSSE({ data: `${event}` })
              seen.push(view(c))
              await opened
            }
          })
        })
      const response = await app.request('/')
      // The body of the handler goes on, so its lock is still the innermost.
      expect(after).toEqual([outer])
      expect(view(context)).toEqual({ keys: outer, held: true })
      for (const key of [outer, inner]) expect((await redlock.tryAcquire(key)).ok).toBe(false)
      open()
      expect(await response.text()).toContain('data: 2')
      const held = { keys: outer, held: true }
      expect(seen).toEqual([held, held, held])
      expect(view(context).keys).toBeUndefined()
      await noneLeft(outer)
      await noneLeft(inner)
    })

    it('is the lock of the handler while a middleware in between has replaced the response', async () => {
      const [outer, inner] = [freshKey(), freshKey()]
      let context!: Context<Env>
      const { promise: opened, resolve: open } = later()
      const app = new Hono<Env>()
        .use(lock({ redlock, key: outer }))
        .use(async (c, next) => {
          await next()
          c.res = new Response('replaced')
        })
        .get('/', lock({ redlock, key: inner }), (c) => {
          context = c
          return c.body(
            new ReadableStream({
              async start(controller) {
                await opened
                controller.close()
              },
            }),
          )
        })
      expect(await (await app.request('/')).text()).toBe('replaced')
      expect(view(context)).toEqual({ keys: inner, held: true })
      open()
      await eventually(() => expect(view(context).keys).toBeUndefined())
      await noneLeft(outer)
      await noneLeft(inner)
    })

    it.each([
      ['throws', () => Promise.reject(new Error('a mistake'))],
      ['is cancelled', undefined],
    ])('ends when the source %s', async (_, fail) => {
      const key = freshKey()
      let context!: Context<Env>
      const app = new Hono<Env>().get('/', lock({ redlock, key }), (c) => {
        context = c
        let sent = 0
        return c.body(
          new ReadableStream({
            pull: async (controller) => {
              if (sent++) await (fail ?? (() => new Promise<void>(() => {})))()
              controller.enqueue(new Uint8Array(9))
            },
          }),
        )
      })
      const response = await app.request('/')
      if (fail) await expect(response.text()).rejects.toThrow('a mistake')
      else await response.body!.cancel()
      expect(view(context).keys).toBeUndefined()
      await noneLeft(key)
    })

    it('is the lock in the error handler, and removed after a thrown value that is no Error', async () => {
      const key = freshKey()
      const seen: View[] = []
      let context!: Context<Env>
      const app = new Hono<Env>()
        .use(async (c, next) => {
          context = c
          await next()
        })
        .use(lock({ redlock, key }))
        .get('/error', () => {
          throw new Error('a mistake')
        })
        .get('/string', () => {
          throw 'a mistake'
        })
        .onError((_error, c) => {
          seen.push(view(c))
          return c.text('', 500)
        })
      await app.request('/error')
      expect(seen).toEqual([{ keys: key, held: true }])
      await expect(Promise.resolve(app.request('/string'))).rejects.toBe('a mistake')
      expect(view(context).keys).toBeUndefined()
      await noneLeft(key)
    })

    it('aborts its signal in the body when the lock is lost, and cannot be used then', async () => {
      const key = freshKey()
      const app = new Hono<Env>().get(
        '/',
        lock({ redlock, key, ttl: 1200, maxExtensions: 0 }),
        (c) =>
          stream(c, async (body) => {
            await body.write('begin,')
            const { signal } = c.var.lock!
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
            const error: unknown = await c.var
              .lock!.fencingToken()
              .catch((reason: unknown) => reason)
            await body.write(`${isLockLostError(signal.reason)},${isLockLostError(error)}`)
          }),
      )
      expect(await (await app.request('/')).text()).toBe('begin,true,true')
    })
  })

  describe.concurrent(`${name}: the lock of a function in a streaming body`, () => {
    it('is held, extended and has a token until the body ends, also nested', async () => {
      const key = freshKey()
      const { promise: opened, resolve: open } = later()
      const locks: Lock[] = []
      const extended = vi.fn<() => void>()
      const client = new Redlock({
        nodes: servers,
        onEvent: ({ type }) => void (type === 'extended' && extended()),
      })
      const options = { redlock: client, key, ttl: 3000 }
      const inner = withLock(options, (_request, _env, _ctx, lock) => {
        locks.push(lock!)
        const body = new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('begin,'))
            await opened
            const token = await lock!.fencingToken()
            controller.enqueue(new TextEncoder().encode(`${token > 0}`))
            controller.close()
          },
        })
        return new Response(body)
      })
      const outer = withLock(options, (request, _env, _ctx, lock) => {
        locks.push(lock!)
        return inner(request)
      })
      const response = await outer(new Request('https://example.com/'))
      await vi.waitFor(() => expect(extended.mock.calls.length).toBeGreaterThan(0), 30_000)
      expect(locks.map(({ held }) => held)).toEqual([true, true])
      open()
      expect(await response.text()).toBe('begin,true')
      expect(locks.map(({ held }) => held)).toEqual([false, false])
      await noneLeft(key)
    })
  })
}
