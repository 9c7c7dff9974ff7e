import { inject as lightRequest } from 'light-my-request'
import { expect, it } from 'vitest'
import { text } from 'node:stream/consumers'
import { Redlock } from '../../src/index.ts'
import { idempotent, type IdempotentOptions } from '../../src/entries/node.ts'
import { during, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { type Handler, send, serve } from './serve.ts'
import { later } from '../support/signals.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

const redlock = new Redlock({ nodes })

/** Serves an idempotent handler, and counts its runs. */
const serveOnce = async (handler: Handler, options: Partial<IdempotentOptions> = {}) => {
  let runs = 0
  const once = idempotent({ redlock, scope: () => 'user', ...options })
  const port = await serve((req, res) => {
    res.setHeader('x-earlier', 'kept')
    return once(req, res, () => {
      runs++
      return handler(req, res)
    })
  })
  const post = (key: string, body: string | readonly string[] = 'payload', headers = {}) =>
    send(port, { body, headers: { 'idempotency-key': key, ...headers } })
  return { port, post, runs: () => runs }
}

it('replays status, recorded headers and body, with the headers that were set before', async () => {
  const { post, runs } = await serveOnce((_req, res) => {
    res.setHeader('location', '/orders/1')
    res.setHeader('set-cookie', 'session=1')
    res.setHeader('x-other', 'not recorded')
    res.writeHead(201, { 'content-type': 'application/json' })
    res.write('{"id":')
    res.end(`"${crypto.randomUUID()}"}`)
  })
  const key = freshKey()
  const first = await post(key)
  expect(first.headers).toMatchObject({ 'set-cookie': ['session=1'], 'x-other': 'not recorded' })
  const replay = await post(key)
  expect(replay).toMatchObject({ status: 201, body: first.body })
  expect(replay.headers).toEqual({
    'content-type': 'application/json',
    location: '/orders/1',
    'idempotent-replayed': 'true',
    'x-earlier': 'kept',
    date: expect.any(String) as string,
    connection: 'close',
    'content-length': `${first.body.length}`,
  })
  expect(runs()).toBe(1)
})

it.each<[string, string | readonly string[]]>([
  ['an empty body', ''],
  ['a short body', 'payload'],
  ['a long body', 'x'.repeat(900_000)],
  ['a body in slow chunks', ['one', ' two', ' three']],
  ['chunks without content', []],
])('leaves %s to the handler', async (_, body) => {
  const whole = typeof body === 'string' ? body : body.join('')
  const { post, runs } = await serveOnce(async (req, res) => {
    const received = await text(req)
    res.end(`${received.length} ${received === whole}`)
  })
  const key = freshKey()
  expect(await post(key, body)).toMatchObject({ status: 200, body: `${whole.length} true` })
  expect((await post(key, body)).headers['idempotent-replayed']).toBe('true')
  expect((await post(key, `${whole}!`)).status).toBe(422)
  expect(runs()).toBe(1)
})

it('takes what a parser has made of the body, and says so if there is nothing', async () => {
  const once = idempotent({ redlock, scope: () => 'user' })
  let runs = 0
  const port = await serve(async (req, res) => {
    const body = await text(req)
    if (req.url === '/parsed') Object.assign(req, { body: JSON.parse(body) as unknown })
    await once(req, res, () => {
      runs++
      res.end('ran')
    })
  })
  const post = (key: string, path: string, type: string, body: string) =>
    send(port, { path, body, headers: { 'idempotency-key': key, 'content-type': type } })
  const key = freshKey()
  expect((await post(key, '/parsed', 'application/json', '{"a":1}')).status).toBe(200)
  const replay = await post(key, '/parsed', 'application/json', '{"a":1}')
  expect(replay.headers['idempotent-replayed']).toBe('true')
  expect((await post(key, '/parsed', 'application/json', '{"a":2}')).status).toBe(422)
  const [unparsed, form] = [
    await post(freshKey(), '/', 'application/json', '{"a":1}'),
    await post(freshKey(), '/parsed', 'multipart/form-data; boundary=b', '{"a":1}'),
  ]
  for (const { status, body } of [unparsed, form]) {
    expect(status).toBe(500)
    expect(body).toContain('put idempotent() before the code that reads it, or set `fingerprint`')
  }
  expect(runs).toBe(1)
})

it('does not record a 500, nor what shouldRecord rejects', async () => {
  const { post, runs } = await serveOnce(
    (_req, res) => res.writeHead(runs() === 1 ? 500 : 200).end('text'),
    { shouldRecord: async (response) => (await response.text()) === 'other' },
  )
  const key = freshKey()
  expect(await post(key)).toMatchObject({ status: 500, body: 'text' })
  expect(await post(key)).toMatchObject({ status: 200, body: 'text' })
  expect(await post(key)).toMatchObject({ status: 200, body: 'text' })
  expect(runs()).toBe(3)
})

it('answers 503 in place of the handler if its answer is not recorded, without its headers', async () => {
  let isDown = false
  const broken = nodes.map((node) =>
    withFault(node, (request, send) => (isDown ? reject(request, send) : send())),
  )
  const { post } = await serveOnce(
    (_req, res) => {
      isDown = true
      res.writeHead(201, { 'x-handler': '1', 'content-length': '4' }).end('done')
    },
    { redlock: new Redlock({ nodes: broken, ttl: 1_000 }) },
  )
  const { status, headers, body } = await post(freshKey())
  expect(status).toBe(503)
  expect(headers).toMatchObject({ 'x-earlier': 'kept', 'retry-after': '1' })
  expect(headers['x-handler']).toBeUndefined()
  expect(JSON.parse(body)).toMatchObject({ status: 503 })
})

it('sends a body that is too long to be recorded, and rejects its replay', async () => {
  const piece = 'x'.repeat(20_000)
  const { post, runs } = await serveOnce(async (_req, res) => {
    for (let count = 0; count < 50; count++) {
      if (!res.write(piece)) await new Promise((resolve) => res.once('drain', resolve))
    }
    res.end()
  })
  const key = freshKey()
  expect((await post(key)).body).toBe(piece.repeat(50))
  expect((await post(key)).status).toBe(409)
  expect(runs()).toBe(1)
})

it('streams events at once, which are not recorded', async () => {
  const { promise: opened, resolve: open } = later()
  const { port } = await serveOnce(async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write('data: 1\n\n')
    await opened
    res.end('data: 2\n\n')
  })
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'idempotency-key': freshKey() },
  })
  const reader = response.body!.getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe('data: 1\n\n')
  open()
  await reader.read()
  expect((await reader.read()).done).toBe(true)
})

it('names the path of the whole url, as Express keeps it', async () => {
  const once = idempotent({ redlock, scope: () => 'user' })
  let runs = 0
  const port = await serve((req, res) => {
    Object.assign(req, { originalUrl: req.url, url: '/' })
    return once(req, res, () => void res.end(`${++runs}`))
  })
  const key = freshKey()
  const post = async (path: string): Promise<string> =>
    (await send(port, { path, headers: { 'idempotency-key': key } })).body
  expect([await post('/a/1'), await post('/b/1'), await post('/a/1')]).toEqual(['1', '2', '1'])
  // A second slash, and what no url has.
  expect([await post('//host/a'), await post('//host/a'), await post('/a%zz')]).toEqual([
    '3',
    '3',
    '4',
  ])
})

it('frees the key if the handler throws', async () => {
  const { post, runs } = await serveOnce((_req, res) => {
    if (runs() === 1) throw new Error('a mistake')
    res.end('ran')
  })
  const key = freshKey()
  expect(await post(key)).toMatchObject({ status: 500, body: 'Error: a mistake' })
  expect(await post(key)).toMatchObject({ status: 200, body: 'ran' })
})

it('ends an upload that breaks off, and the same key can be used again', async () => {
  const { port, post, runs } = await serveOnce((_req, res) => res.end('ran'))
  const key = freshKey()
  const controller = new AbortController()
  const broken = fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: new ReadableStream({
      pull: async (stream) => {
        stream.enqueue(new TextEncoder().encode('pay'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      },
    }),
    duplex: 'half',
    signal: controller.signal,
  } as RequestInit).catch(() => undefined)
  setTimeout(() => controller.abort(), 100)
  await broken
  await eventually(async () => expect((await post(key)).status).toBe(200))
  expect(runs()).toBe(1)
})

it('reports an outage before anything runs', async () => {
  const client = new Redlock({ nodes: nodes.map((node) => withFault(node, during('a', reject))) })
  const { post, runs } = await serveOnce((_req, res) => res.end(), { redlock: client })
  expect((await post(freshKey())).status).toBe(503)
  expect(runs()).toBe(0)
})

it.each([
  ['no payload', undefined],
  ['a payload', 'payload'],
])('answers a request of `inject` in Fastify with %s', async (_, payload) => {
  const once = idempotent({ redlock, scope: () => 'user' })
  const post = async (key: string): Promise<string> => {
    const headers = { 'idempotency-key': key }
    const response = await lightRequest(
      (req, res) => {
        const [request, answer] = [req, res] as unknown as Parameters<Handler>
        void once(request, answer, async () => answer.end(`got ${await text(request)}`))
      },
      { method: 'POST', url: '/', headers, ...(payload !== undefined && { payload }) },
    )
    return response.payload
  }
  const key = freshKey()
  expect(await post(key)).toBe(`got ${payload ?? ''}`)
  expect(await post(key)).toBe(`got ${payload ?? ''}`)
})

it.each([401, 409, 429, 500, 503])(
  'with failures replay, a %i of an error handler is replayed, and nothing runs again',
  async (status) => {
    // The middleware cannot tell the response of an error handler from that of the handler.
    const { post, runs } = await serveOnce(
      (_req, res) => void res.writeHead(status, { 'retry-after': '1' }).end('failed'),
      { failures: 'replay' },
    )
    const key = freshKey()
    for (let turn = 0; turn < 2; turn++) {
      expect(await post(key)).toMatchObject({ status, body: 'failed' })
    }
    expect(runs()).toBe(1)
  },
)
