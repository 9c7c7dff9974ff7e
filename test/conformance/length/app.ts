import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono'
import { stream } from 'hono/streaming'
import { withLock } from '../../../src/entries/fetch.ts'
import { lock } from '../../../src/entries/hono.ts'
import { fromEnv, type Redlock } from '../../../src/index.ts'

// The same responses without a lock, below lock() and by withLock(): the lock must not change them.

type Make = (request: Request) => Response | Promise<Response>
type Fixed = new (length: number) => TransformStream<Uint8Array, Uint8Array>

const chunk = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A stream that a Worker writes to, whose length the runtime knows if it is a FixedLengthStream. */
const written = ({
  readable,
  writable,
}: TransformStream<Uint8Array, Uint8Array>): ReadableStream => {
  const writer = writable.getWriter()
  void writer.write(chunk('hello')).then(() => writer.close())
  return readable
}

/** A stream of 80 KB that takes a while. */
const slow = (): ReadableStream<Uint8Array> => {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (sent++ < 4) controller.enqueue(new Uint8Array(20_000).fill(46))
      else controller.close()
    },
  })
}

const responses: Readonly<Record<string, Make>> = {
  text: () => new Response('hello'),
  empty: () => new Response(''),
  unicode: () => new Response('ünï¢🚀'),
  json: () => Response.json({ list: Array.from({ length: 20_000 }, (_, index) => index) }),
  bytes: () => new Response(new Uint8Array(60_000)),
  large: () => new Response('x'.repeat(200_000)),
  blob: () => new Response(new Blob(['hello'], { type: 'text/x-blob' })),
  form: () => new Response(new URLSearchParams({ a: 'b' })),
  headers: () =>
    new Response('hello', {
      status: 201,
      statusText: 'Made',
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['etag', '"x"'],
      ],
    }),
  set: () => new Response('hello', { headers: { 'content-length': '5' } }),
  range: (request) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? [0, 0, 4]
    const part = chunk('0123456789').slice(Number(from), Number(to) + 1)
    const headers = {
      'content-range': `bytes ${from}-${to}/10`,
      'content-length': `${part.length}`,
    }
    return new Response(part, { status: 206, headers })
  },
  none: () => new Response(null, { status: 204 }),
  unchanged: () =>
    new Response(null, { status: 304, headers: { etag: '"x"', 'content-length': '70' } }),
  null: () => new Response(null),
  stream: () =>
    new Response(new ReadableStream({ start: (c) => (c.enqueue(chunk('hello')), c.close()) })),
  slow: () => new Response(slow()),
  stale: () => new Response(slow(), { headers: { 'content-length': '7' } }),
  fixed: () => {
    const { FixedLengthStream } = globalThis as { FixedLengthStream?: Fixed }
    return new Response(FixedLengthStream ? written(new FixedLengthStream(5)) : 'hello')
  },
}

export const names = Object.keys(responses)

/** The response of another server, whose url is in the query, as it is or changed on its way. */
const fetched: Readonly<Record<string, Make>> = {
  fetched: (request) => fetch(new URL(request.url).searchParams.get('from')!),
  rewritten: async (request) => {
    const response = await fetched.fetched!(request)
    // The length is no longer right, and the runtime ignores it.
    const longer = new TransformStream<Uint8Array, Uint8Array>({
      // At the end, since the network divides the body into chunks as it likes.
      flush: (controller) => controller.enqueue(chunk('more')),
    })
    return new Response(response.body!.pipeThrough(longer), response)
  },
}

const make: Make = (request) => {
  const name = new URL(request.url).pathname.split('/')[2]!
  return (responses[name] ?? fetched[name]!)(request)
}

export const app = new Hono()
// Without bindings, as on Node, the nodes are in the environment.
const clientFor = ({ env }: Context): Redlock =>
  fromEnv(Object(env).REDLOCK_NODES ? Object(env) : undefined)
const middleware: MiddlewareHandler = lock({
  redlock: clientFor,
  key: (c) => c.req.query('key') ?? crypto.randomUUID(),
})
app.get('/', (c) => c.text('up'))
app.use('/locked/*', middleware)
app.use('/replaced/*', async (c, next) => {
  await next()
  // Otherwise Hono gives the new response the headers of the old one.
  c.res = undefined
  c.res = new Response('replaced')
})
app.use('/replaced/*', lock({ redlock: clientFor, key: (c) => c.req.query('key')!, ttl: 1200 }))
app.use('/paused/*', lock({ redlock: clientFor, key: () => crypto.randomUUID(), ttl: 1000 }))
for (const route of ['replaced', 'paused']) app.get(`/${route}/:name`, (c) => make(c.req.raw))
app.use('/twice/*', middleware, middleware)
// workerd tells the length of a body of up to 256 KB.
const large = 'x'.repeat(250_000)
const contexts: Readonly<Record<string, Handler>> = {
  'hono-text': (c) => c.text('hello'),
  'hono-large': (c) => c.text(large),
  'hono-first': (c) => {
    const first = c.text(large)
    c.text('not sent')
    return first
  },
  'hono-json': (c) => c.json({ large }, 201, { etag: '"x"' }),
  'hono-html': (c) => c.html('<p>hello'),
  'hono-promise': (c) => c.html(Promise.resolve('<p>hello')),
  'hono-bytes': (c) => c.body(chunk(large.slice(0, 200_000))),
  'hono-null': (c) => c.body(null, 204),
  'hono-stream': (c) => c.body(slow()),
  'hono-copied': (c) => new Response(slow(), c.text(large)),
  'hono-later-header': async (c) => {
    c.res = c.text('hello')
    c.header('x-later', 'yes')
    return c.res
  },
}

export const contextNames = Object.keys(contexts)

for (const route of ['plain', 'locked', 'twice'] as const) {
  for (const [name, handler] of Object.entries(contexts)) app.get(`/${route}/${name}`, handler)
  app.get(`/${route}/streamed`, (c) =>
    stream(c, async (body) => {
      c.header('x-a', 'b')
      await body.write('hello')
    }),
  )
  app.get(`/${route}/:name`, (c) => make(c.req.raw))
}
app.get('/function/:name', (c) =>
  withLock({ redlock: clientFor(c), key: () => crypto.randomUUID() }, make)(c.req.raw, c.env),
)
