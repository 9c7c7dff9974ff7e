import { type Context, Hono } from 'hono'
import { stream } from 'hono/streaming'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { lock, type LockVariables, throttle } from '../../src/entries/hono.ts'
import { idempotent, withIdempotency } from '../../src/entries/idempotency.ts'
import { fromEnv, Redlock, type RestNodeOptions } from '../../src/index.ts'
import { command } from '../../tools/servers/node-commands.ts'
import { core } from './core.ts'
import { entries } from './entries.ts'

// The app that every runtime serves. It creates as much as possible at global scope, although Workers forbid I/O,
// timers and random numbers there.

// Without bindings, `c.env` is undefined, contrary to Hono's types.
type Bindings = { REDLOCK_NODES?: string }
type Env = { Bindings: Bindings; Variables: LockVariables }

/** The client of the nodes in the bindings, or in the environment if there are no bindings. */
const clientFor = (env?: Bindings): Redlock =>
  fromEnv(env?.REDLOCK_NODES ? env : undefined, { ttl: 3000 })
const redlock = (c: Context<Env>): Redlock => clientFor(c.env)

const unreachable = new Redlock({
  nodes: [1, 2, 3].map((port): RestNodeOptions => ({
    url: `http://127.0.0.1:${port}`,
    token: 't',
  })),
  warnings: false,
})

const key = (c: Context): string => c.req.param('key')!
const number = (c: Context, name: string): number => Number(c.req.query(name) ?? 0)
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Leaves a note for the test on the first node, because the client may have disconnected. */
const note = async (env: Bindings | undefined, name: string, text: string): Promise<void> => {
  const { process } = globalThis as { process?: { env: Record<string, string | undefined> } }
  const nodes = JSON.parse(env?.REDLOCK_NODES ?? process!.env.REDLOCK_NODES!) as RestNodeOptions[]
  await command(nodes[0]!, 'SET', name, text, 'EX', 60)
}

/** A stream of `count` pieces of `size` bytes, one every `every` ms; endless without a count. */
const pieces = (size: number, every: number, count = Infinity): ReadableStream<Uint8Array> => {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      if (sent++ >= count) return controller.close()
      if (every) await sleep(every)
      return controller.enqueue(new Uint8Array(size).fill(46))
    },
  })
}

export const app = new Hono<Env>()

app.get('/', (c) => c.text('ready'))

app.get('/replaced/:key', async (c, next) => {
  await next()
  c.res = new Response('replaced')
})
app.use('/nested/:key', lock({ redlock, key }))
app.use('/:route/:key', async (c, next) => {
  // The options of the lock are in the query, so that one middleware serves all routes.
  if (/core|throttle|fetch|unavailable|open|idempotent/.test(c.req.param('route'))) return next()
  const releaseAfter = c.req.query('release') === 'response' ? 'response' : 'body'
  const options = { redlock, key, releaseAfter, wait: number(c, 'wait') } as const
  const middleware = lock(number(c, 'ttl') ? { ...options, ttl: number(c, 'ttl') } : options)
  return middleware(c as Context, next)
})

app.get('/run/:key', async (c) => {
  await sleep(number(c, 'ms'))
  const text = `${c.var.lock?.held}`
  await note(c.env, `ran:${key(c)}`, text)
  return c.text(text)
})
app.use('/early/:key', async () => new Response('early'))
app.get('/early/:key', (c) => c.text('late'))
app.get('/error/:key', () => {
  throw new Error('a mistake')
})
app.get('/string/:key', () => {
  // Not an Error, on purpose.
  throw 'a mistake'
})
app.get('/status/:key', (c) => c.body(null, number(c, 'status') as 204))
app.get('/stream/:key', (c) => c.body(pieces(100, number(c, 'every'), number(c, 'count'))))
app.get('/helper/:key', (c) =>
  stream(c, async (to) => {
    for (let piece = 0; piece < 3; piece++) await to.write('piece')
  }),
)
app.get('/broken/:key', (c) => {
  let sent = 0
  return c.body(
    new ReadableStream({
      pull(controller) {
        if (sent++) controller.error(new Error('the source broke'))
        else controller.enqueue(new Uint8Array(100))
      },
    }),
  )
})
app.get('/endless/:key', (c) => c.body(pieces(50_000, number(c, 'every'))))
app.get('/replaced/:key', (c) => (c.req.query('long') ? c.body(pieces(50_000, 1)) : c.text('mine')))
app.get('/nested/:key', (c) => c.text(`${c.var.lock?.held}`))
app.get('/upgrade/:key', (c) => {
  const { WebSocketPair, Deno } = globalThis as {
    WebSocketPair?: new () => { 0: WebSocket; 1: WebSocket & { accept: () => void } }
    Deno?: { upgradeWebSocket: (request: Request) => { response: Response } }
  }
  if (Deno) return Deno.upgradeWebSocket(c.req.raw).response
  const { 0: webSocket, 1: server } = new WebSocketPair!()
  server.accept()
  return new Response(null, { status: 101, webSocket } as ResponseInit)
})

app.get('/throttle/:key', throttle({ redlock, key, window: 20_000 }), (c) => c.text('passed'))
app.get(
  '/throttle-keep/:key',
  throttle({ redlock, key, window: 20_000, countIf: ({ ok }) => ok }),
  (c) => c.text('', number(c, 'status') as 200),
)
app.get('/unavailable/:key', lock({ redlock: unreachable, key }), (c) => c.text('passed'))
app.get('/open/:key', lock({ redlock: unreachable, key, failOpen: true }), (c) =>
  c.text(c.var.lock ? 'locked' : 'no lock'),
)

const scope = (): string => 'user'
app.post('/idempotent/:key', idempotent({ redlock, scope }), async (c) => {
  await note(c.env, `began:${key(c)}`, 'true')
  await sleep(number(c, 'ms'))
  await note(c.env, `ran:${key(c)}`, `${c.var.lock?.held}`)
  if (c.req.query('status')) return c.text('failed', number(c, 'status') as 500)
  // No two runs return the same answer, and no text has these bytes.
  const bytes = crypto.getRandomValues(new Uint8Array(300))
  c.header('set-cookie', 'session=1')
  c.header('content-type', 'application/octet-stream')
  return c.body(bytes.fill(255, 0, 10), 201)
})

// The same without a framework: each path represents a separate function.
const clientOf = (_request: Request, env?: Bindings): Redlock => clientFor(env)
const lastSegment = (request: Request): string => new URL(request.url).pathname.split('/').at(-1)!
const functions: Record<
  string,
  (request: Request, env?: Bindings, ctx?: unknown) => Promise<Response>
> = {
  'fetch-lock': withLock(
    { redlock: clientOf, key: lastSegment },
    async (request, env, _ctx, lock) => {
      const { searchParams } = new URL(request.url)
      await sleep(Number(searchParams.get('ms')))
      await note(env, `ran:${lastSegment(request)}`, `${lock?.held}`)
      return searchParams.has('count')
        ? new Response(pieces(100, 20, Number(searchParams.get('count'))))
        : new Response(`${lock?.held}`)
    },
  ),
  'fetch-error': withLock({ redlock: clientOf, key: lastSegment }, () => {
    throw new Error('a mistake')
  }),
  'fetch-throttle': withThrottle(
    { redlock: clientOf, key: lastSegment, window: 20_000 },
    () => new Response('passed'),
  ),
  'fetch-idempotent': withIdempotency(
    { redlock: clientOf, scope },
    async (request) =>
      new Response(`${await request.text()} ${crypto.randomUUID()}`, { status: 201 }),
  ),
}
app.on(['GET', 'POST'], '/:function/:key', async (c, next) => {
  const run = functions[c.req.param('function')]
  let ctx: unknown
  try {
    ctx = c.executionCtx
  } catch {}
  return run ? run(c.req.raw, c.env, ctx ?? Object(c.env).lambdaContext) : next()
})

app.get('/core/:name/:key', async (c) => {
  const works: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>): void => void works.push(work)
  const given = { redlock: redlock(c), other: redlock(c), key: key(c), waitUntil }
  const text = await { ...core, ...entries }[c.req.param('name')]!(given)
  await Promise.all(works)
  return c.text(text)
})
