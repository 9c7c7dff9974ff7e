import { once } from 'node:events'
import { createServer, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { idempotent, lock, lockOf } from '../../src/entries/node.ts'
import { fateOf } from '../../src/adapters/node/lifetime.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { type Handler, send, serve } from './serve.ts'

// When a handler of `node:http` is over, and what it may do to its response. `verification/frameworks` has the table of
// all events, middleware and frameworks.

const redlock = (ttl = 1000): Redlock =>
  new Redlock({ nodes: memoryNodes(3), ttl, warnings: false })
const headers = { 'idempotency-key': 'a' }

it.each([
  ['open', 'over', true, 'over', 'wait'],
  ['left', 'running', true, 'over', 'wait'],
  ['destroyed', 'running', true, 'none', 'wait'],
  ['left', 'over', false, 'none', 'gone'],
  ['left', 'unknown', false, 'none', 'wait'],
  ['left', 'unknown', true, 'none', 'last'],
  ['left', 'unknown', true, 'flowing', 'last'],
  ['left', 'unknown', true, 'over', 'gone'],
  ['destroyed', 'unknown', false, 'none', 'last'],
] as const)('connection %s, handler %s, begun %s, pipes %s: %s', (...row) => {
  const [connection, handler, hasBegun, pipes, fate] = row
  expect(fateOf({ connection, handler, hasBegun, pipes })).toBe(fate)
})

it('holds the lock until the promise of the handler, which has ended its response before', async () => {
  const oneAtATime = lock({ redlock: redlock(), key: 'k' })
  let running = 0
  const port = await serve((req, res) =>
    oneAtATime(req, res, async () => {
      expect(running++).toBe(0)
      res.end('done')
      await sleep(150)
      running--
    }),
  )
  expect((await send(port)).body).toBe('done')
  expect((await send(port)).status).toBe(409)
  await sleep(250)
  expect((await send(port)).body).toBe('done')
})

it.each<[string, Handler]>([
  ['pipeline', (_req, res) => pipeline(Readable.from(['do', 'ne']), res)],
  ['a callback', (_req, res) => new Promise<void>((resolve) => void res.end('done', resolve))],
  [
    '`finish`',
    async (_req, res) => {
      res.end('done')
      await once(res, 'finish')
    },
  ],
])('releases the lock before the end that a handler waits for by %s', async (_, handler) => {
  const oneAtATime = lock({ redlock: redlock(), key: 'k' })
  const port = await serve((req, res) => oneAtATime(req, res, () => handler(req, res)))
  for (let turn = 0; turn < 10; turn++) expect(await send(port)).toMatchObject({ body: 'done' })
})

it('aborts the signal before it releases the lock of a handler that may go on', async () => {
  const client = redlock(1500)
  const oneAtATime = lock({ redlock: client, key: 'k' })
  let reason: unknown
  let wasFree: boolean | undefined
  const port = await serve((req, res) => {
    // Its handler tells no end.
    void oneAtATime(req, res, () => {
      const { signal } = lockOf(req)!
      signal.addEventListener('abort', () => {
        reason = signal.reason
        void client.tryAcquire('k').then(({ ok }) => (wasFree = ok))
      })
      res.write('half')
    })
  })
  const controller = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}`, { signal: controller.signal })
  await response.body!.getReader().read()
  controller.abort()
  await vi.waitFor(() => expect(wasFree).toBeDefined(), 10_000)
  expect(String(reason)).toBe(
    'LockLostError: Lost the lock on ["k"]: the client disconnected (ERL04)',
  )
})

it.each(['lock', 'idempotent'] as const)(
  '%s: rejects headers after the first byte',
  async (name) => {
    const middleware = {
      lock: () => lock({ redlock: redlock(), key: 'k' }),
      idempotent: () => idempotent({ redlock: redlock(), scope: () => 'user' }),
    }[name]()
    const port = await serve((req, res) =>
      middleware(req, res, () => {
        res.write('half')
        expect(() => res.setHeader('x-late', '1')).toThrow(
          expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }),
        )
        expect(() => res.writeHead(201)).toThrow(
          expect.objectContaining({ code: 'ERR_HTTP_HEADERS_SENT' }),
        )
        res.end()
      }),
    )
    expect((await send(port, { headers })).body).toBe('half')
  },
)

it('does not record a body that is shorter than its length', async () => {
  let runs = 0
  const middleware = idempotent({ redlock: redlock(), scope: () => 'user' })
  const port = await serve((req, res) =>
    middleware(req, res, () => {
      res.writeHead(200, { 'content-length': runs++ > 0 ? 4 : 10 }).end('done', () => res.destroy())
    }),
  )
  await send(port, { headers }).catch(() => {})
  expect(await send(port, { headers })).toMatchObject({ status: 200, body: 'done' })
  expect(runs).toBe(2)
})

it('closes the connection of a payload that is too large and tells no length', async () => {
  const middleware = idempotent({ redlock: redlock(), scope: () => 'user', maxPayload: 100 })
  const port = await serve((req, res) => middleware(req, res, () => res.end('ran')))
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      controller.enqueue(new Uint8Array(1000))
      await sleep(5)
    },
  })
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  const response = await fetch(`http://127.0.0.1:${port}`, init)
  expect(response.status).toBe(413)
  expect(response.headers.get('connection')).toBe('close')
})

const parsedBy = async (parse: (body: string) => unknown, type = 'text/plain') => {
  const middleware = idempotent({ redlock: redlock(), scope: () => 'user' })
  const port = await serve(async (req, res) => {
    Object.assign(req, { body: parse(await text(req)) })
    await middleware(req, res, () => void res.end('ran'))
  })
  return async (body: string) => send(port, { body, headers: { ...headers, 'content-type': type } })
}

it.each<[string, (body: string) => unknown]>([
  ['URLSearchParams', (body) => new URLSearchParams(body)],
  ['an ArrayBuffer', (body) => new TextEncoder().encode(body).buffer],
  ['a DataView', (body) => new DataView(new TextEncoder().encode(body).buffer)],
  ['an object', (body) => ({ body })],
  ['a date in an object', (body) => ({ at: new Date(body.length) })],
])('tells bodies apart that a parser has made %s', async (_, parse) => {
  const post = await parsedBy(parse)
  expect((await post('a=1')).status).toBe(200)
  expect((await post('a=1')).headers['idempotent-replayed']).toBe('true')
  expect((await post('a=20')).status).toBe(422)
})

it.each<[string, (body: string) => unknown]>([
  ['a Map', (body) => new Map([['body', body]])],
  ['a form', () => new FormData()],
  ['a Set in an object', (body) => ({ set: new Set([body]) })],
  ['a BigInt', () => ({ size: 1n })],
])('asks for a fingerprint of a body that a parser has made %s', async (_, parse) => {
  const post = await parsedBy(parse)
  expect((await post('a=1')).body).toContain('set `fingerprint`')
})

it('compares parsed forms with all their characters', async () => {
  const type = 'application/x-www-form-urlencoded'
  const post = await parsedBy((body) => ({ body }), type)
  expect((await post('1+2')).status).toBe(200)
  expect((await post('1 2')).status).toBe(422)
  expect((await post('1+2')).headers['idempotent-replayed']).toBe('true')
})

it('reads a body of HTTP/2 whose length nobody has told, and leaves it to the handler', async () => {
  const middleware = idempotent({ redlock: redlock(), scope: () => 'user' })
  const server = createServer((req, res) => {
    const answer = async (): Promise<void> => void res.end(await text(req))
    void middleware(req, res, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const post = async (parts: readonly string[]): Promise<string> => {
    const sent = client.request({ ':method': 'POST', ':path': '/', ...headers })
    for (const part of parts) {
      sent.write(part)
      await sleep(10)
    }
    sent.end()
    return text(sent)
  }
  expect(await post(['one', 'two', 'x'.repeat(100_000)])).toBe(`onetwo${'x'.repeat(100_000)}`)
})

it('tells of a response that was sent past it, and keeps the key', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  let runs = 0
  const middleware = idempotent({ redlock: redlock(), scope: () => 'user' })
  const port = await serve((req, res) => {
    const [writeHead, end] = [res.writeHead.bind(res), res.end.bind(res)]
    return middleware(req, res, () => {
      runs++
      writeHead(200)
      end('past')
    })
  })
  expect((await send(port, { headers })).body).toBe('past')
  await vi.waitFor(() =>
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('sent past the middleware')),
  )
  expect((await send(port, { headers })).status).toBe(409)
  expect(runs).toBe(1)
})

it.each<[string, (write: (text: string) => void) => void]>([
  ['sends garbage', (write) => write('\u0000garbage\r\n\r\n')],
  ['stays silent until the server closes the connection', () => {}],
])(
  'a callback handler that has written nothing is alone until it ends, if the client %s',
  async (_, act) => {
    const ttl = 1000
    const onceEach = idempotent({ redlock: redlock(ttl), scope: () => 'user' })
    let [running, most, runs] = [0, 0, 0]
    const ends: (() => void)[] = []
    const port = await serve((req, res) => {
      // As `server.timeout` does.
      req.socket.setTimeout(300, () => void req.socket.destroy())
      void onceEach(req, res, () => {
        runs++
        most = Math.max(most, ++running)
        ends.push(() => {
          running--
          res.end('done')
        })
      })
    })
    const socket = connect(port, '127.0.0.1')
      .resume()
      .on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write('POST / HTTP/1.1\r\nhost: a\r\nidempotency-key: a\r\ncontent-length: 0\r\n\r\n')
    await vi.waitFor(() => expect(runs).toBe(1))
    act((text) => void socket.write(text))
    await once(socket, 'close')
    await sleep(ttl * 1.5)
    expect((await send(port, { headers })).status).toBe(409)
    ends[0]!()
    await vi.waitFor(async () => expect((await send(port, { headers })).status).toBe(200), 5000)
    expect([most, runs]).toEqual([1, 1])
  },
)
