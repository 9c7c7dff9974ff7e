import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { type LockEvent, Redlock } from '../../src/index.ts'
import { lock, lockOf, throttle } from '../../src/entries/node.ts'
import { heldOn } from '../support/held-on.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { type Handler, send, serve } from './serve.ts'
import { later } from '../support/signals.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

const redlock = new Redlock({ nodes })
const { heldBy, noneLeft } = heldOn(nodes)

it('has released the lock when the response has ended, so that the next request gets it', async () => {
  const key = freshKey()
  const oneAtATime = lock({ redlock, key })
  const port = await serve((req, res) => oneAtATime(req, res, () => void res.end('done')))
  for (let turn = 0; turn < 20; turn++) expect((await send(port)).status).toBe(200)
  await noneLeft(key)
})

it('sends exactly what the handler has written', async () => {
  const write: Handler = (_req, res) => {
    res.setHeader('X-Case', 'kept')
    const list = ['set-cookie', 'a=1', 'set-cookie', 'b=2', 'Trailer', 'X-Sum']
    res.writeHead(203, 'My Reason', list)
    res.write('6f6e65', 'hex')
    res.write(Buffer.from(' two'))
    res.addTrailers({ 'x-sum': '7' })
    res.end(' three')
  }
  const throttled = throttle({ redlock, key: freshKey(), window: 60_000 })
  const locked = lock({ redlock, key: freshKey() })
  const before = lock({ redlock, key: freshKey(), releaseAfter: 'response' })
  const port = await serve((req, res) => {
    if (req.url === '/plain') return write(req, res)
    if (req.url === '/locked') return locked(req, res, () => write(req, res))
    if (req.url === '/before') return before(req, res, () => write(req, res))
    return throttled(req, res, () => write(req, res))
  })
  const plain = await send(port, { path: '/plain' })
  expect(plain).toMatchObject({ status: 203, reason: 'My Reason', body: 'one two three' })
  const without = ({ rawHeaders }: typeof plain): string[] =>
    rawHeaders.filter((_, index) => !/^(date|ratelimit.*)$/i.test(rawHeaders[index - (index % 2)]!))
  for (const path of ['/locked', '/before', '/throttled']) {
    const other = await send(port, { path })
    expect({ ...other, headers: {}, rawHeaders: without(other) }).toEqual({
      ...plain,
      headers: {},
      rawHeaders: without(plain),
    })
    if (path === '/throttled') expect(other.headers.ratelimit).toBe('"throttle";r=0;t=60')
  }
})

it('keeps the length of a response that ends at once', async () => {
  const throttled = throttle({ redlock, key: () => freshKey(), window: 60_000 })
  const port = await serve((req, res) => throttled(req, res, () => void res.end('done')))
  expect((await send(port)).headers).toMatchObject({ 'content-length': '4' })
})

it('keeps the headers that were set before on a rejection, and those of onRejected', async () => {
  const key = freshKey()
  const held = await redlock.acquire(key)
  const plain = lock({ redlock, key })
  const own = lock({
    redlock,
    key,
    onRejected: ({ reason }, req) => Response.json({ reason, path: req.url }, { status: 423 }),
  })
  const itself = lock({
    redlock,
    key,
    onRejected: (_rejection, _req: IncomingMessage, res: ServerResponse) => {
      res.writeHead(418).end('by itself')
      return undefined
    },
  })
  const port = await serve((req, res) => {
    res.setHeader('access-control-allow-origin', '*')
    res.setHeader('vary', 'origin')
    const middleware = { '/own': own, '/itself': itself }[req.url!] ?? plain
    return middleware(req, res, () => void res.end('ran'))
  })
  const rejected = await send(port)
  expect(rejected).toMatchObject({
    status: 409,
    headers: { 'access-control-allow-origin': '*', vary: 'origin' },
  })
  const given = await send(port, { path: '/own' })
  expect(given).toMatchObject({ status: 423, body: '{"reason":"locked","path":"/own"}' })
  expect(given.headers).toMatchObject({ 'access-control-allow-origin': '*' })
  expect(await send(port, { path: '/itself' })).toMatchObject({ status: 418, body: 'by itself' })
  await held.release()
})

it('passes an error to a `next` that takes one, and else rejects; the handler never runs', async () => {
  let runs = 0
  const broken = lock({ redlock, key: () => undefined as never })
  const port = await serve((req, res) =>
    req.url === '/next'
      ? broken(req, res, (error) => {
          if (error) res.writeHead(500).end(`next: ${error}`)
          else runs++
        })
      : broken(req, res, () => void runs++),
  )
  const message = 'TypeError: `key` must be text, an array or null; got undefined (ERL01)'
  expect(await send(port)).toMatchObject({ status: 500, body: message })
  expect(await send(port, { path: '/next' })).toMatchObject({
    status: 500,
    body: `next: ${message}`,
  })
  expect(runs).toBe(0)
})

it('rejects with the error of the handler, and releases the lock', async () => {
  const key = freshKey()
  const oneAtATime = lock({ redlock, key })
  const port = await serve((req, res) =>
    oneAtATime(req, res, async () => {
      await Promise.resolve()
      throw new Error('a mistake')
    }),
  )
  for (let turn = 0; turn < 2; turn++) {
    expect(await send(port)).toMatchObject({ status: 500, body: 'Error: a mistake' })
  }
  await noneLeft(key)
})

it('holds the lock until the handler ends if the client disconnects, and releases it then', async () => {
  const key = freshKey()
  const { promise: opened, resolve: open } = later()
  const extended = vi.fn<() => void>()
  const onEvent = ({ type }: LockEvent): void => void (type === 'extended' && extended())
  const client = new Redlock({ nodes, onEvent })
  const oneAtATime = lock({ redlock: client, key, ttl: 3000 })
  let isHeld: boolean | undefined
  const port = await serve((req, res) => {
    // As in Express, which does not say when a handler has ended.
    void oneAtATime(req, res, () => {
      const answer = async (): Promise<void> => {
        await opened
        isHeld = lockOf(req)?.held
        res.end('late')
      }
      void answer()
    })
  })
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n')
  await eventually(async () => expect(await heldBy(key)).not.toContain(null))
  socket.resetAndDestroy()
  const before = extended.mock.calls.length
  await eventually(() => expect(extended.mock.calls.length).toBeGreaterThan(before))
  expect((await redlock.tryAcquire(key)).ok).toBe(false)
  open()
  await noneLeft(key)
  expect(isHeld).toBe(true)
})

it('holds the lock of a response that has begun until the handler ends it, if the client disconnects', async () => {
  const key = freshKey()
  const { promise: opened, resolve: open } = later()
  const { promise: left, resolve: leave } = later()
  const oneAtATime = lock({ redlock, key })
  let isHeld: boolean | undefined
  const port = await serve((req, res) => {
    void oneAtATime(req, res, () => {
      const answer = async (): Promise<void> => {
        res.on('close', leave)
        res.write('begun')
        await opened
        isHeld = lockOf(req)?.held
        res.end()
      }
      void answer()
    })
  })
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  socket.resetAndDestroy()
  await left
  expect((await redlock.tryAcquire(key)).ok).toBe(false)
  open()
  await noneLeft(key)
  expect(isHeld).toBe(true)
})

it('releases the lock of a response that has begun and never ends, a ttl after its connection has closed', async () => {
  const key = freshKey()
  const oneAtATime = lock({ redlock, key, ttl: 2_000 })
  const port = await serve(
    (req, res) => void oneAtATime(req, res, () => void res.writeHead(200).write('begun')),
  )
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  expect((await heldBy(key)).filter(Boolean).length).toBeGreaterThanOrEqual(3)
  socket.resetAndDestroy()
  await noneLeft(key)
})

it('lets the handler wait for `drain`, and loses nothing of a long body', async () => {
  const { promise: opened, resolve: open } = later()
  const throttled = throttle({
    redlock,
    key: () => freshKey(),
    window: 60_000,
    countIf: async ({ ok }) => {
      await opened
      return ok
    },
  })
  let waited = false
  const piece = 'x'.repeat(50_000)
  const port = await serve((req, res) =>
    throttled(req, res, async () => {
      for (let count = 0; count < 100; count++) {
        if (res.write(piece)) continue
        if (!waited) setTimeout(open, 50)
        waited = true
        await once(res, 'drain')
      }
      res.end('.')
    }),
  )
  const { body } = await send(port)
  expect(waited).toBe(true)
  expect(body).toBe(`${piece.repeat(100)}.`)
})

it('gives countIf the response with its body, and counts what it keeps', async () => {
  const seen: unknown[] = []
  const key = freshKey()
  const throttled = throttle({
    redlock,
    key,
    window: 60_000,
    countIf: async (response, req) => {
      seen.push([response.status, await response.clone().text(), req.url])
      return response.ok
    },
  })
  const port = await serve((req, res) =>
    throttled(req, res, () => {
      res.writeHead(Number(req.url!.slice(1)), { 'content-type': 'text/plain' }).end('text')
    }),
  )
  expect(await send(port, { path: '/422' })).toMatchObject({ status: 422, body: 'text' })
  const passed = await send(port, { path: '/201' })
  expect(passed).toMatchObject({ status: 201, body: 'text' })
  expect(passed.headers['ratelimit-policy']).toBe('"throttle";q=1;w=60')
  const rejected = await send(port, { path: '/201' })
  expect(rejected.status).toBe(429)
  expect(rejected.headers.ratelimit).toMatch(/^"throttle";r=0;t=\d+$/)
  expect(seen).toEqual([
    [422, 'text', '/422'],
    [201, 'text', '/201'],
  ])
})

it('works around middleware that replaces the same methods later', async () => {
  const key = freshKey()
  const locked = lock({ redlock, key })
  const throttled = throttle({ redlock, key: () => freshKey(), window: 60_000 })
  // As a middleware that compresses does.
  const upper: Handler = (_req, res) => {
    const [write, end] = [res.write.bind(res), res.end.bind(res)]
    const change = (chunk: unknown): unknown =>
      typeof chunk === 'string' ? chunk.toUpperCase() : chunk
    Object.assign(res, {
      write: (chunk: unknown) => write(change(chunk) as string, 'utf8'),
      end: (chunk: unknown) => end(change(chunk) as string, 'utf8'),
    })
  }
  const port = await serve((req, res) =>
    locked(req, res, () =>
      throttled(req, res, () => {
        upper(req, res)
        res.write('one ')
        setTimeout(() => res.end('two'), 50)
      }),
    ),
  )
  expect((await send(port)).body).toBe('ONE TWO')
  await noneLeft(key)
})

it('reports a response as sent while it is held back', async () => {
  const { promise: opened, resolve: open } = later()
  const throttled = throttle({
    redlock,
    key: freshKey(),
    window: 60_000,
    countIf: async () => {
      await opened
      return true
    },
  })
  const seen: boolean[] = []
  const port = await serve((req, res) =>
    throttled(req, res, () => {
      seen.push(res.headersSent, res.writableEnded)
      res.write('a')
      seen.push(res.headersSent, res.writableEnded)
      res.end('b')
      seen.push(res.headersSent, res.writableEnded)
      open()
    }),
  )
  expect((await send(port)).body).toBe('ab')
  expect(seen).toEqual([false, false, true, false, true, true])
})

it('reenters the lock around it, and hides it if the inner one has no key', async () => {
  const key = freshKey()
  const outer = lock({ redlock, key })
  const inner = lock({ redlock, key: (req) => (req.url === '/none' ? null : key) })
  const port = await serve((req, res) =>
    outer(req, res, () => inner(req, res, () => void res.end(`${lockOf(req)?.held}`))),
  )
  expect((await send(port)).body).toBe('true')
  expect((await send(port, { path: '/none' })).body).toBe('undefined')
  await noneLeft(key)
})

it('rejects wrong options, and a call without `next`', () => {
  expect(() => lock({ redlock, key: 'k', ttl: 3 })).toThrow('`ttl`')
  expect(() => throttle({ redlock, key: 'k', windw: 5 } as never)).toThrow('windw')
  expect(() => lock({ redlock, key: 'k' })({} as never, {} as never, undefined as never)).toThrow(
    '`next`',
  )
})
