import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { idempotent as idempotentHono, withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { idempotent, type NodeMiddleware } from '../../src/entries/node.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// Two mounted endpoints get the same key with the same payload, like webhooks that are sent to both. Each runs, and
// repeats its own response.

type Middleware = NodeMiddleware<IncomingMessage, ServerResponse>
type Next = (error?: unknown) => unknown
type Listener = (req: IncomingMessage, res: ServerResponse) => unknown
type Handler = (req: IncomingMessage, res: ServerResponse) => unknown
type App = Listener & {
  use: (path: string, ...handlers: readonly unknown[]) => unknown
  all: (path: string, handler: unknown) => unknown
}
type Event = { readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse } }
type H31 = Record<
  'eventHandler' | 'fromNodeMiddleware' | 'toNodeListener',
  (given: never) => never
> & {
  readonly createApp: () => App
  readonly createRouter: () => { post: (path: string, handler: unknown) => { handler: unknown } }
  readonly useBase: (path: string, handler: unknown) => unknown
}
type H32App = App & {
  post: (path: string, handler: unknown) => H32App
  mount: (path: string, app: unknown) => unknown
}
type H32 = {
  readonly H3: new () => H32App
  readonly withBase: (path: string, handler: unknown) => unknown
  readonly toNodeHandler: (app: unknown) => Listener
}
type KoaContext = {
  readonly request: IncomingMessage
  readonly res: ServerResponse
  body: unknown
}
type Koa = {
  use: (middleware: (ctx: KoaContext, next: Next) => unknown) => Koa
  callback: () => Listener
}
type Fastify = {
  readonly server: Server
  register: (plugin: (app: Fastify) => Promise<void>, options: object) => unknown
  addHook: (name: string, hook: Middleware) => unknown
  post: (path: string, handler: () => Promise<string>) => unknown
  ready: () => Promise<unknown>
  routing: Listener
}

/** The packages are installed in this folder only. */
const load = async <T>(name: string): Promise<T> => (await import(name)) as T
const defaultOf = async <T>(name: string): Promise<T> =>
  (await load<{ readonly default: T }>(name)).default

const options = () => ({
  redlock: new Redlock({ nodes: memoryNodes(3) }),
  scope: (): string => 'provider',
})

const places = ['charge', 'refund'] as const
const wrapped = (given: ReturnType<typeof options>, place: string) =>
  withIdempotency<Event, unknown, unknown, unknown>(given, () => `${place} done`)

type Mount = (given: ReturnType<typeof options>) => Promise<Listener> | Listener

const express =
  (name: string): Mount =>
  async (given) => {
    const app = (await defaultOf<() => App>(name))()
    const once: Middleware = idempotent(given)
    for (const place of places) {
      const answer: Handler = (_req, res) => res.end(`${place} done`)
      app.use(`/${place}`, once, answer)
      // Connect takes one function per path.
      if (name === 'connect') app.use(`/${place}`, answer)
    }
    return app
  }

const h3 = async (
  wrap: (h3: H31, place: (typeof places)[number]) => readonly [path: string, handler: unknown],
): Promise<Listener> => {
  const tools = await load<H31>('h3')
  const app = tools.createApp()
  for (const place of places) app.use(...wrap(tools, place))
  return tools.toNodeListener(app as never)
}

const mounts: readonly (readonly [name: string, mount: Mount])[] = [
  ['Express 5', express('express')],
  ['Express 4', express('express-4')],
  ['Connect', express('connect')],
  [
    'Fastify, with a prefix',
    async (given) => {
      const { fastify } = await load<{ fastify: () => Fastify }>('fastify')
      const app = fastify()
      for (const place of places) {
        const plugin = async (scoped: Fastify): Promise<void> => {
          scoped.addHook('preHandler', idempotent(given) as Middleware)
          scoped.post('/events', async () => `${place} done`)
        }
        app.register(plugin, { prefix: `/${place}` })
      }
      await app.ready()
      return app.routing
    },
  ],
  [
    'koa-mount',
    async (given) => {
      const Koa = await defaultOf<new () => Koa>('koa')
      const mount = await defaultOf<(path: string, app: Koa) => never>('koa-mount')
      const once: Middleware = idempotent(given)
      const app = new Koa()
      for (const place of places) {
        const inner = new Koa().use((ctx, next) => once(ctx.request, ctx.res, next))
        app.use(
          mount(
            `/${place}`,
            inner.use((ctx) => void (ctx.body = `${place} done`)),
          ),
        )
      }
      return app.callback()
    },
  ],
  [
    'h3 1, app.use',
    (given) => h3((h3, place) => [`/${place}`, h3.eventHandler(wrapped(given, place) as never)]),
  ],
  [
    'h3 1, useBase around a router',
    (given) =>
      h3((h3, place) => {
        const handler = h3.eventHandler(wrapped(given, place) as never)
        const router = h3.createRouter().post(`/events`, handler)
        return [
          '/',
          h3.useBase(`/${place}`, (event: Event) => {
            const { originalUrl } = event.node.req as { originalUrl?: string }
            const call = router.handler as (event: Event) => unknown
            return originalUrl?.startsWith(`/${place}/`) ? call(event) : undefined
          }),
        ]
      }),
  ],
  [
    'h3 1, middleware of Node',
    (given) => {
      const once: Middleware = idempotent(given)
      return h3((h3, place) => [
        `/${place}`,
        h3.fromNodeMiddleware(((req: IncomingMessage, res: ServerResponse) =>
          once(req, res, () => res.end(`${place} done`))) as never),
      ])
    },
  ],
  [
    'h3 2, an app',
    async (given) => {
      const { H3, toNodeHandler } = await load<H32>('h3-2')
      const app = new H3()
      for (const place of places) {
        app.mount(`/${place}`, new H3().post('/events', wrapped(given, place)))
      }
      return toNodeHandler(app)
    },
  ],
  [
    'h3 2, withBase',
    async (given) => {
      const { H3, withBase, toNodeHandler } = await load<H32>('h3-2')
      const app = new H3()
      for (const place of places) {
        app.all(`/${place}/**`, withBase(`/${place}`, wrapped(given, place)))
      }
      return toNodeHandler(app)
    },
  ],
]

const headers = { 'idempotency-key': 'event-1' }
type Answer = readonly [status: number, isReplay: boolean, body: string]
const answerOf = async (response: Response): Promise<Answer> => [
  response.status,
  response.headers.has('idempotent-replayed'),
  await response.text(),
]

const twice = async (post: (path: string) => Promise<Response>): Promise<readonly Answer[]> => {
  const all: Answer[] = []
  for (const place of [...places, ...places])
    all.push(await answerOf(await post(`/${place}/events`)))
  return all
}

const own: readonly Answer[] = [
  [200, false, 'charge done'],
  [200, false, 'refund done'],
  [200, true, 'charge done'],
  [200, true, 'refund done'],
]

it.for(mounts)('%s: each endpoint has its own responses', async ([, mount]) => {
  const listener = await mount(options())
  const server = createServer((req, res) => void listener(req, res))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const post = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'event', headers })
  expect(await twice(post)).toEqual(own)
})

// Each is shown once per process.
const warnings: string[] = []
vi.spyOn(console, 'warn').mockImplementation((text: string) => void warnings.push(text))

describe('Hono', () => {
  const post = (app: Hono) => async (path: string) =>
    app.request(path, { method: 'POST', body: 'event', headers })
  const inner = (given: ReturnType<typeof options>, place: string): Hono =>
    new Hono().post('/events', idempotentHono(given), (c) => c.text(`${place} done`))
  const handle = (given: ReturnType<typeof options>, place: string) =>
    withIdempotency(given, () => new Response(`${place} done`))

  it.each<[string, (app: Hono, place: string, given: ReturnType<typeof options>) => unknown]>([
    ['app.route', (app, place, given) => app.route(`/${place}`, inner(given, place))],
    [
      'app.basePath',
      (app, place, given) =>
        app
          .basePath(`/${place}`)
          .post('/events', idempotentHono(given), (c) => c.text(`${place} done`)),
    ],
    [
      'app.mount with replaceRequest: false',
      (app, place, given) =>
        app.mount(`/${place}`, handle(given, place), { replaceRequest: false }),
    ],
  ])('%s: each endpoint has its own responses', async (_, add) => {
    const [app, given] = [new Hono(), options()]
    for (const place of places) add(app, place, given)
    expect(await twice(post(app))).toEqual(own)
  })

  it.each<[string, (given: ReturnType<typeof options>, place: string) => (r: Request) => unknown]>([
    ['functions', handle],
    ['apps', (given, place) => inner(given, place).fetch],
  ])('app.mount of %s, which hides the path, shares responses and says so', async (_, make) => {
    const [app, given] = [new Hono(), options()]
    for (const place of places) app.mount(`/${place}`, make(given, place) as never)
    const answers = await twice(post(app))
    expect(answers.slice(1)).toEqual(Array.from({ length: 3 }, () => [200, true, 'charge done']))
    expect(warnings.join()).toContain('`replaceRequest: false`')
  })
})

it('h3 2, a function that is mounted, which hides the path, shares responses and says so', async () => {
  const { H3 } = await load<H32>('h3-2')
  const [app, given] = [new H3() as H32App & { request: Hono['request'] }, options()]
  for (const place of places) {
    app.mount(
      `/${place}`,
      withIdempotency(given, () => new Response(`${place} done`)),
    )
  }
  const answers = await twice(async (path) =>
    app.request(path, { method: 'POST', body: 'event', headers }),
  )
  expect(answers.slice(1)).toEqual(Array.from({ length: 3 }, () => [200, true, 'charge done']))
  expect(warnings.join()).toContain('let `scope` tell them apart')
})
