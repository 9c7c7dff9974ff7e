import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { type Running, closeAfter, spy, startGateway, token } from './support.ts'

const { commands, ...backend } = spy()
let server: Running

beforeAll(async () => {
  server = await startGateway(backend)
})
afterAll(() => server.close())
beforeEach(() => {
  commands.length = 0
})

const requests: [path: string, command: unknown[]][] = [
  ['/ping', ['PING']],
  ['/set/foo/bar', ['SET', 'foo', 'bar']],
  ['/set/foo/bar/EX/100', ['SET', 'foo', 'bar', 'EX', '100']],
  ['/hget/employee:23381/salary', ['HGET', 'employee:23381', 'salary']],
  ['/set/foo/bar?EX=100', ['SET', 'foo', 'bar', 'EX', '100']],
  ['/set/foo/bar?NX&PX=5', ['SET', 'foo', 'bar', 'NX', 'PX', '5']],
  ['/set/foo?=', ['SET', 'foo', '', '']],
  ['/set/foo/bar?a=b=c', ['SET', 'foo', 'bar', 'a', 'b=c']],
  ['/set/foo/bar?', ['SET', 'foo', 'bar']],
  ['/set/a%2Fb/c%20d%3F', ['SET', 'a/b', 'c d?']],
  ['/set/a+b/c?x+y=%2B', ['SET', 'a+b', 'c', 'x y', '+']],
  ['/set/%C3%A9/%F0%9F%98%80', ['SET', 'é', '😀']],
  ['/set/é/😀', ['SET', 'é', '😀']],
  ['/set/foo/', ['SET', 'foo', '']],
  ['/set//bar', ['SET', '', 'bar']],
  ['/set/k/%EF%BB%BFx', ['SET', 'k', '\ufeffx']],
  ['/set/k/%00%0D%0A', ['SET', 'k', '\0\r\n']],
  ['/get/pipeline', ['GET', 'pipeline']],
  [`/get/foo?_token=${token}`, ['GET', 'foo']],
  [`/set/foo/bar?EX=1&_token=${token}&NX`, ['SET', 'foo', 'bar', 'EX', '1', 'NX']],
]

test.each(requests)('GET %s', async (path, command) => {
  const response = await server.request(path)
  expect([response.status, await response.json()]).toEqual([200, { result: 'OK' }])
  expect(commands).toEqual([command])
})

test('the body of a POST becomes an argument between path and query', async () => {
  await server.request('/set/foo?EX=100', { method: 'POST', body: '{"a":1}' })
  await server.request('/set/foo', { method: 'PUT', body: ' \n' })
  await server.request('/publish/chat/hello', { method: 'POST' })
  expect(commands).toEqual([
    ['SET', 'foo', '{"a":1}', 'EX', '100'],
    ['SET', 'foo', ' \n'],
    ['PUBLISH', 'chat', 'hello'],
  ])
})

test.each(['/get/%', '/get/%f', '/get/%zz', '/get/a?%zz=1', '/get/a?EX=%'])(
  'responds 400 to the invalid percent-encoding of %s',
  async (path) => {
    const response = await server.request(path)
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'ERR bad percent-encoding in the URL' },
    ])
    expect(commands).toEqual([])
  },
)

test.each(['//', '//ping', '/%20', '/%ff'])(
  'responds 400 to %s, which has no command name',
  async (path) => {
    const response = await server.request(path)
    expect(response.status).toBe(400)
    expect(commands).toEqual([])
  },
)

describe('with Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  test('bytes that are not UTF-8 reach Redis unchanged, from the body and from the path', async () => {
    const direct = closeAfter(ioredisBackend({ host: '127.0.0.1', port: redis.port }))
    const running = closeAfter(await startGateway(direct))
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    await running.request('/set/body?EX=100', { method: 'POST', body: bytes })
    expect(await direct.send(['GET', 'body'])).toEqual(Buffer.from(bytes))
    expect(await direct.send(['TTL', 'body'])).toBeGreaterThan(0)

    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
    await running.request(`/set/path/${escaped}`)
    expect(await direct.send(['GET', 'path'])).toEqual(Buffer.from(bytes))
  })
})
