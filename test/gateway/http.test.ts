import { request } from 'node:http'
import { expect, test, vi } from 'vitest'
import { closeAfter, startGateway, token, useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const use = useGateway()

const setCommand = (size: number): string => {
  const frame = '["SET","big",""]'
  return frame.replace('""]', `"${'x'.repeat(size - frame.length)}"]`)
}
const chunked = (text: string): ReadableStream<Uint8Array> =>
  new Blob([text]).stream().pipeThrough(
    new TransformStream({
      transform: (chunk: Uint8Array, controller) => {
        for (let at = 0; at < chunk.length; at += 10_000) {
          controller.enqueue(chunk.subarray(at, at + 10_000))
        }
      },
    }),
  )

test('every response has a sync token of its own and is not cached', async () => {
  const answers = await Promise.all([
    use.server.request('/', { method: 'POST', body: '["PING"]' }),
    use.server.request('/', { method: 'POST', body: '["INCR"]' }),
    use.server.request('/pipeline', { method: 'POST', body: '[["PING"]]' }),
    use.server.request('/multi-exec', { method: 'POST', body: '[["PING"]]' }),
    use.server.request('/ping'),
  ])
  const tokens = answers.map(({ headers }) => headers.get('upstash-sync-token'))
  expect(new Set(tokens).size).toBe(answers.length)
  for (const { headers } of answers) {
    expect(headers.get('upstash-sync-token')).toMatch(/^\d+$/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  }
})

test('the sync token rises with each request, and the one that a client returns is accepted', async () => {
  const before = Date.now()
  const upstash = use.server.upstash()
  let last = before - 1
  for (let count = 0; count < 20; count += 1) {
    await upstash.set('a', count)
    const now = Number(upstash.readYourWritesSyncToken)
    expect(now).toBeGreaterThan(last)
    last = now
  }
  // A gateway that is started again goes on above the tokens of the one before.
  const next = closeAfter(await startGateway(use.backend))
  const client = next.upstash()
  client.readYourWritesSyncToken = String(last)
  await client.set('a', 1)
  expect(Number(client.readYourWritesSyncToken)).toBeGreaterThan(last)
  for (const token of ['0', '', 'zzz', '9'.repeat(400)]) {
    const headers = { 'upstash-sync-token': token }
    expect(await next.post('/', ['GET', 'a'], headers)).toEqual([200, { result: '1' }])
  }
})

const methods: [path: string, method: string, allow: string][] = [
  ...['/', '/pipeline', '/multi-exec'].flatMap((path) =>
    ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS'].map((method): [string, string, string] => [
      path,
      method,
      'POST, PUT',
    ]),
  ),
  ...['DELETE', 'PATCH', 'OPTIONS'].map((method): [string, string, string] => [
    '/get/a',
    method,
    'GET, HEAD, POST, PUT',
  ]),
]

test.each(methods)('responds 405 with Allow to %s %s', async (path, method, allow) => {
  const response = await use.server.request(path, { method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allow)
  const text = await response.text()
  expect(text).toMatch(method === 'HEAD' ? /^$/ : /^\{"error":"ERR method not allowed/)
})

test('PUT works like POST, and HEAD like GET', async () => {
  await use.server.request('/', { method: 'PUT', body: '["SET","a","1"]' })
  const head = await use.server.request('/incr/a', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(await use.backend.send(['GET', 'a'])).toEqual(Buffer.from('2'))
})

test.each([
  ['with content-length', (text: string): BodyInit => text],
  ['chunked', chunked],
])(
  'a body %s may have 10 MiB, the default of `maxBody`, but no more',
  async (_name, body) => {
    const limit = 10_485_760
    const post = (size: number): Promise<Response> =>
      use.server.request('/', { method: 'POST', body: body(setCommand(size)), duplex: 'half' })

    const largest = await post(limit)
    expect([largest.status, await largest.json()]).toEqual([200, { result: 'OK' }])
    const stored = await use.backend.send(['STRLEN', 'big'])
    await use.backend.send(['FLUSHALL'])

    const larger = await post(limit + 1)
    expect([larger.status, await larger.json()]).toEqual([
      413,
      { error: `ERR max request size exceeded. Limit: ${limit} bytes` },
    ])
    expect(stored).toBe(BigInt(limit) - BigInt('["SET","big",""]'.length))
    expect(await use.backend.send(['DBSIZE'])).toBe(0n)
  },
  30_000,
)

test('a body that is too large does not break the next requests on its connection', async () => {
  const bodies = [11_000_000, 12_000_000, 15_000_000].flatMap((size) => {
    const text = setCommand(size)
    return [chunked(text), text, chunked(text), text]
  })
  for (const body of bodies) {
    const rejected = await use.server.request('/', { method: 'POST', body, duplex: 'half' })
    expect([rejected.status, await rejected.text()]).toEqual([413, expect.any(String)])
    // fetch cannot resend a stream, so this fails if the connection was closed or has unread bytes.
    const next = await use.server.request('/', {
      method: 'POST',
      body: chunked('["PING"]'),
      duplex: 'half',
    })
    expect([next.status, await next.json()]).toEqual([200, { result: 'PONG' }])
  }
})

test('an endless body is rejected while it is being sent', async () => {
  const stop = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise(setImmediate)
      controller.enqueue(new Uint8Array(65_536))
    },
  })
  const init = { method: 'POST', body, duplex: 'half', signal: stop.signal } as const
  const response = await use.server.request('/', init)
  expect(response.status).toBe(413)
  stop.abort()
})

test('a body that is declared too large is rejected before it is sent', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-length': '10485761' }
  const status = await new Promise((resolve, reject) => {
    const sending = request(use.server.url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      sending.destroy()
    })
    sending.on('error', reject)
    sending.flushHeaders()
  })
  expect(status).toBe(413)
})

test('maxBody applies to every route', async () => {
  const small = closeAfter(await startGateway({ ...use.backend, maxBody: 20 }))
  const long = 'x'.repeat(30)
  expect((await small.post('/', ['SET', 'a', long]))[0]).toBe(413)
  expect((await small.post('/pipeline', [['SET', 'a', long]]))[0]).toBe(413)
  expect((await small.post('/multi-exec', [['SET', 'a', long]]))[0]).toBe(413)
  expect((await small.request('/set/a', { method: 'POST', body: long })).status).toBe(413)
  expect((await small.post('/', ['SET', 'a', 'b']))[0]).toBe(200)
  expect(await use.backend.send(['DBSIZE'])).toBe(1n)
})
