import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withIdempotency } from '../../src/entries/idempotency.ts'
import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// For every return value of an h3 handler: withIdempotency() does not change the response to the first client. A
// repeated request gets the same response, or learns that it was not stored. Over real connections.

type Event = {
  readonly node: { readonly req: IncomingMessage; readonly res: ServerResponse }
  readonly res: { status?: number; readonly headers: Headers }
}
type Handler = (event: Event) => unknown
type Listener = (req: IncomingMessage, res: ServerResponse) => unknown
type Result = new (...args: readonly unknown[]) => Error
type Tool = (...args: readonly unknown[]) => unknown

type H31 = Record<'sendRedirect' | 'sendNoContent' | 'send' | 'readBody' | 'createError', Tool> & {
  readonly createApp: () => { use: (path: string, handler: unknown) => unknown }
  readonly eventHandler: (handler: Handler) => unknown
  readonly toNodeListener: (app: unknown) => Listener
  readonly toWebHandler: (app: unknown) => (request: Request) => Promise<Response>
  readonly setResponseHeader: (event: Event, name: string, value: string) => void
  readonly setResponseStatus: (event: Event, status: number) => void
}
type H32 = Record<'redirect' | 'html' | 'noContent', Tool> & {
  readonly H3: new (options: object) => {
    post: (path: string, handler: Handler) => unknown
    request: (path: string, init: RequestInit) => Promise<Response>
  }
  readonly HTTPError: Result
  readonly HTTPResponse: Result
  readonly toNodeHandler: (app: unknown) => Listener
}

/** The packages are installed in this folder only. */
const load = async <T>(name: string): Promise<T> => (await import(name)) as T
const [h31, h32] = [await load<H31>('h3'), await load<H32>('h3-2')]
const { fetchNodeRequestHandler } = await load<{
  fetchNodeRequestHandler: (listener: Listener, url: string, init: object) => Promise<Response>
}>('node-mock-http')

const options = (more: object = {}) => ({
  redlock: new Redlock({ nodes: memoryNodes(3), warnings: false }),
  scope: () => 'user',
  ...more,
})

const listen = async (listener: Listener): Promise<number> => {
  const server = createServer((req, res) => void listener(req, res))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Serves a handler of one version of h3 at `/run`. */
const listenerOf = (version: 1 | 2, handler: Handler): Listener => {
  if (version === 1) {
    const app = h31.createApp()
    app.use('/run', h31.eventHandler(handler))
    return h31.toNodeListener(app)
  }
  const app = new h32.H3({ silent: true })
  app.post('/run', handler)
  return h32.toNodeHandler(app)
}

type Seen = readonly [status: number, type: string | null, location: string | null, body: string]

const post = async (port: number, body = '{"id":7}'): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/run`, {
    method: 'POST',
    redirect: 'manual',
    body,
    headers: { 'idempotency-key': 'k', 'content-type': 'application/json' },
  })

const seen = async (response: Response): Promise<Seen> => {
  const { status, headers } = response
  // Node and the Fetch Standard write the same type with and without a space.
  const type = headers.get('content-type')?.replace('; ', ';') ?? null
  return [status, type, headers.get('location'), await response.text()]
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const streamOf = (text: string): ReadableStream => new Blob([text]).stream()

const answer = (event: Event): unknown => event && 'ran'

type Row = readonly [version: 1 | 2, name: string, handler: Handler]

const kept: readonly Row[] = [
  [1, 'data', () => ({ id: 7 })],
  [1, 'text', () => '<p>'],
  [1, 'null', () => null],
  [1, 'null with a status', (e) => (h31.setResponseStatus(e, 202), null)],
  [1, 'a number', () => 5],
  [1, 'a bigint', () => 5n],
  [1, 'a date', () => new Date(0)],
  [1, 'a Map', () => new Map([[1, 2]])],
  [1, 'a Buffer', () => Buffer.from('abc')],
  [1, 'bytes', () => bytes('abc')],
  [1, 'a Blob', () => new Blob(['<p>'], { type: 'text/plain' })],
  [1, 'a stream', () => streamOf('abc')],
  [1, 'a stream of Node', () => Readable.from(['ab', Buffer.from('c')])],
  [1, 'sendRedirect', (e) => h31.sendRedirect(e, '/to', 303)],
  [1, 'sendNoContent', (e) => h31.sendNoContent(e)],
  [1, 'a Response', () => Response.json({ id: 7 }, { status: 201 })],
  [
    1,
    'a Response and a header of the event',
    (e) => {
      h31.setResponseHeader(e, 'location', '/x/1')
      return new Response('made', { status: 201 })
    },
  ],
  [
    1,
    'XML with a status and a location',
    (e) => {
      h31.setResponseStatus(e, 201)
      h31.setResponseHeader(e, 'content-type', 'application/xml')
      h31.setResponseHeader(e, 'location', '/x/1')
      return '<a/>'
    },
  ],
  [
    1,
    'plain text that looks like HTML',
    (e) => (h31.setResponseHeader(e, 'content-type', 'text/plain'), '<script>'),
  ],
  [2, 'data', () => ({ id: 7 })],
  [2, 'text', () => '<script>'],
  [2, 'null', () => null],
  [2, 'undefined', () => undefined],
  [2, 'a bigint', () => 5n],
  [2, 'a date', () => new Date(0)],
  [
    2,
    'an object without a prototype',
    () => Object.assign(Object.create(null), { a: 1 }) as object,
  ],
  [2, 'bytes', () => bytes('abc')],
  [2, 'a Buffer', () => Buffer.from('abc')],
  [2, 'a file', () => new File(['abc'], 'a b.txt', { type: 'text/plain' })],
  [2, 'an ArrayBuffer', () => bytes('abc').buffer],
  [2, 'a Blob', () => new Blob(['<p>'], { type: 'text/plain' })],
  [2, 'a stream', () => streamOf('abc')],
  [2, 'parameters', () => new URLSearchParams('a=1')],
  [2, 'a Map', () => new Map()],
  [2, 'redirect()', () => h32.redirect('/to', 303)],
  [2, 'html()', () => h32.html('<b>')],
  [2, 'noContent()', () => h32.noContent()],
  [2, 'an HTTPResponse', () => new h32.HTTPResponse(streamOf('abc'), { status: 201 })],
  [2, 'a Response', () => Response.json({ id: 7 }, { status: 201 })],
  [
    2,
    'XML with a status and a location',
    (e) => {
      e.res.status = 201
      e.res.headers.set('location', '/z')
      e.res.headers.set('content-type', 'application/xml')
      return '<a/>'
    },
  ],
  [
    2,
    'a Response and a header of the event',
    (e) => {
      e.res.headers.set('location', '/z')
      return new Response('made', { status: 201 })
    },
  ],
  [
    2,
    'a rejecting Response and a header of the event',
    (e) => {
      e.res.headers.set('location', '/z')
      return new Response('no', { status: 422 })
    },
  ],
]

/** The handler behind withIdempotency(), and how often it ran. */
const counting = (handler: (event: Event) => unknown) => {
  let runs = 0
  const counted = withIdempotency(options(), (event: Event): unknown => {
    runs++
    return handler(event)
  })
  return { counted, runs: () => runs }
}

describe('the response of h3 itself is sent and replayed', () => {
  it.for(kept)('h3 %i: %s', async ([version, , handler]) => {
    const { counted, runs } = counting(handler)
    const bare = await seen(await post(await listen(listenerOf(version, handler))))
    const port = await listen(listenerOf(version, counted))
    expect(await seen(await post(port))).toEqual(bare)
    const again = await post(port)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const [status, type, location, body] = await seen(again)
    expect([status, type, location]).toEqual(bare.slice(0, 3))
    // The location of a redirect contains everything.
    if (location !== '/to') expect(body).toBe(bare[3])
    expect(runs()).toBe(1)
  })
})

it.for(kept.filter(([version]) => version === 2))(
  'h3 %i outside Node: %s is sent and replayed as well',
  async ([, , handler]) => {
    const sendTo = (given: Handler) => {
      const app = new h32.H3({ silent: true })
      app.post('/run', given)
      const headers = { 'idempotency-key': 'k' }
      return async (): Promise<Seen> =>
        seen(await app.request('/run', { method: 'POST', body: 'a', headers }))
    }
    const bare = await sendTo(handler)()
    const send = sendTo(withIdempotency(options(), (event: Event): unknown => handler(event)))
    for (const [status, type, ...rest] of [await send(), await send()]) {
      // h3 leaves one content type to the platform.
      expect([status, bare[1] && type, ...rest]).toEqual(bare)
    }
  },
)

const notKept: readonly Row[] = [
  [1, 'send', (e) => h31.send(e, 'sent')],
  [1, 'res.end', (e) => void e.node.res.end('sent')],
  [2, 'a symbol', () => Symbol('sent')],
  [1, 'a function', () => () => 'sent'],
]

it.for(notKept)(
  'h3 %i: %s is sent as without us, and its duplicate hears that',
  async ([version, , handler]) => {
    const { counted, runs } = counting(handler)
    const bare = await seen(await post(await listen(listenerOf(version, handler))))
    const port = await listen(listenerOf(version, counted))
    expect(await seen(await post(port))).toEqual(bare)
    expect((await post(port)).status).toBe(409)
    expect(runs()).toBe(1)
  },
)

const failing: readonly Row[] = [
  [1, 'a returned error', () => h31.createError({ statusCode: 402 })],
  [
    1,
    'a thrown error',
    () => {
      throw h31.createError({ statusCode: 402 }) as Error
    },
  ],
  [2, 'a returned HTTPError', () => new h32.HTTPError({ status: 402 })],
  [
    2,
    'a thrown HTTPError',
    () => {
      throw new h32.HTTPError({ status: 402 })
    },
  ],
]

it.for(failing)('h3 %i: %s is a failure', async ([version, , handler]) => {
  for (const failures of ['retry', 'replay'] as const) {
    let runs = 0
    const counted = withIdempotency(options({ failures }), (event: Event): unknown => {
      runs++
      return handler(event)
    })
    const bare = await seen(await post(await listen(listenerOf(version, handler))))
    const port = await listen(listenerOf(version, counted))
    const [first, again] = [await seen(await post(port)), await seen(await post(port))]
    expect(first).toEqual(bare)
    expect(again[0]).toBe(402)
    expect(runs).toBe(failures === 'retry' ? 2 : 1)
  }
})

describe('a body that is no stream of Node', () => {
  const init = { method: 'POST', headers: { 'idempotency-key': 'k', 'content-type': 'text/plain' } }
  const echo = (): Handler =>
    withIdempotency(options(), async (event: Event): Promise<unknown> => ({
      got: await h31.readBody(event),
    })) as Handler

  it.each<[string, () => unknown]>([
    ['text', () => 'abc'],
    ['bytes', () => bytes('abc')],
    ['a Buffer', () => Buffer.from('abc')],
    ['a stream', () => streamOf('abc')],
    ['a stream of Node', () => Readable.from([Buffer.from('abc')])],
    ['parameters', () => new URLSearchParams('a=1')],
  ])("%s in Nitro's serverless runtime", async (_, make) => {
    const bare = listenerOf(1, async (event) => ({ got: await h31.readBody(event) }))
    const listener = listenerOf(1, echo())
    const send = async (to: Listener, body: unknown): Promise<Response> =>
      fetchNodeRequestHandler(to, 'http://a.example/run', { ...init, body })
    const first = await send(listener, make())
    expect(await seen(first)).toEqual(await seen(await send(bare, make())))
    expect((await send(listener, make())).headers.get('idempotent-replayed')).toBe('true')
    expect((await send(listener, 'other')).status).toBe(422)
  })

  it('none in that runtime', async () => {
    const listener = listenerOf(1, withIdempotency(options(), answer) as Handler)
    expect(await (await fetchNodeRequestHandler(listener, '/run', init)).text()).toBe('ran')
  })

  it('of a Request', async () => {
    const app = h31.createApp()
    app.use('/run', h31.eventHandler(echo()))
    const handle = h31.toWebHandler(app)
    const send = (body: string): Promise<Response> =>
      handle(new Request('http://a.example/run', { ...init, body }))
    expect(await (await send('abc')).json()).toEqual({ got: 'abc' })
    expect((await send('abc')).headers.get('idempotent-replayed')).toBe('true')
    expect((await send('other')).status).toBe(422)
  })

  it.each<[string, object]>([
    ['req.body, which a parser has set', { body: { id: 7 } }],
    ['req.rawBody, as a platform sets it', { rawBody: Buffer.from('{"id":7}') }],
  ])('in %s', async (_, parts) => {
    const listener = listenerOf(1, echo())
    const port = await listen(async (req, res) => {
      req.resume()
      Object.assign(req, parts)
      await listener(req, res)
    })
    expect(await (await post(port)).json()).toEqual({ got: { id: 7 } })
    expect((await post(port)).headers.get('idempotent-replayed')).toBe('true')
  })
})

it('h3 1: a body over maxPayload gets a 413 before all of it is there', async () => {
  const handler = withIdempotency(options({ maxPayload: 1000 }), answer)
  const port = await listen(listenerOf(1, handler))
  for (const length of [undefined, 2 ** 40]) {
    const sent = request({
      port,
      path: '/run',
      method: 'POST',
      headers: {
        'idempotency-key': 'k',
        ...(length && { 'content-length': length }),
      },
    })
    sent.on('error', () => {})
    const status = new Promise((resolve) => sent.on('response', (r) => resolve(r.statusCode)))
    sent.write(Buffer.alloc(2000))
    expect(await status).toBe(413)
    sent.destroy()
  }
})

it('h3 1: a connection is of use after a 413', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const handler = withIdempotency(options({ maxPayload: 1000 }), answer)
  const port = await listen(listenerOf(1, handler))
  const ports = new Set<number>()
  const send = (size: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'idempotency-key': `${size}`, 'content-length': size }
      const sent = request({ port, path: '/run', method: 'POST', agent, headers }, (response) => {
        ports.add(response.socket.localPort!)
        response.resume().on('end', () => resolve(response.statusCode!))
      })
      sent.on('error', reject).end(Buffer.alloc(size))
    })
  expect([await send(3_000_000), await send(10), await send(2_000_000), await send(20)]).toEqual([
    413, 200, 413, 200,
  ])
  expect(ports.size).toBe(1)
})
