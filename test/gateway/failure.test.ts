import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { replyErrorText } from '../../src/gateway/failure.ts'
import { until } from '../../tools/cli/until.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { backends } from './backends.ts'
import { closeAfter, informed, startGateway } from './support.ts'
import { commandInfoReply, startFakeRedis } from './fake-redis.ts'

const unavailable = { error: expect.stringMatching(/^UNAVAILABLE Redis cannot be reached/) }

describe.each(Object.entries(backends))('%s', (_name, connect) => {
  // The documented adapter has no listener for connection errors, so ioredis prints them.
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('responds 503 on every route, without an address, when Redis is down', async () => {
    const redis = closeAfter(await startRedis())
    const backend = closeAfter(await connect(redis.port))
    const server = closeAfter(await startGateway(backend))
    expect(await server.post('/', ['SET', 'a', '1'])).toEqual([200, { result: 'OK' }])
    await redis.stop()
    expect(await server.post('/', ['GET', 'a'])).toEqual([503, unavailable])
    expect(await server.post('/pipeline', [['GET', 'a']])).toEqual([503, unavailable])
    expect(await server.post('/multi-exec', [['GET', 'a']])).toEqual([503, unavailable])
    const response = await server.request('/get/a')
    const text = await response.text()
    expect([response.status, JSON.parse(text)]).toEqual([503, unavailable])
    expect(text).not.toMatch(/127\.0\.0\.1|ECONN|\bat /)
  })
})

/** A server that replies to COMMAND, INFO, CLIENT and PING, and closes the connection on INCR. */
const startHangUp = () =>
  startFakeRedis((name, socket) => {
    if (name === 'INCR') socket.destroy()
    return {
      INFO: '$9\r\nloading:0\r\n',
      PING: '+PONG\r\n',
      CLIENT: '+OK\r\n',
      COMMAND: commandInfoReply,
    }[name]
  })

test('a command whose connection broke is answered 503 and never sent again', async () => {
  const redis = closeAfter(await startHangUp())
  const backend = closeAfter(ioredisBackend({ host: '127.0.0.1', port: redis.port }))
  const server = closeAfter(await startGateway(backend))
  expect(await server.post('/', ['INCR', 'a'])).toEqual([503, unavailable])
  // Commands are rejected until the client has connected again.
  await until(async () => (await server.post('/', ['PING']))[0] === 200, 20_000)
  expect(redis.received.filter((word) => word === 'INCR')).toHaveLength(1)
})

test('a pipeline returns the results of the commands before the connection broke', async () => {
  const sent: string[] = []
  const server = closeAfter(
    await startGateway({
      send: informed(async ([name]) => {
        sent.push(name)
        if (name === 'BREAK') throw new Error('connect ECONNREFUSED 10.0.0.1:6379')
        return name
      }),
      transaction: async () => [],
    }),
  )
  expect(await server.post('/pipeline', [['A'], ['BREAK'], ['C'], ['D']])).toEqual([
    200,
    [
      { result: 'A' },
      unavailable,
      { error: 'UNAVAILABLE Redis cannot be reached; not sent' },
      { error: 'UNAVAILABLE Redis cannot be reached; not sent' },
    ],
  ])
  expect(sent).toEqual(['A', 'BREAK'])
  expect(await server.post('/pipeline', [['BREAK'], ['C']])).toEqual([503, unavailable])
  expect(sent).toEqual(['A', 'BREAK', 'BREAK'])
})

test.each([
  ['an Error', new Error('boom at /srv/app/secret.ts')],
  ['a string', 'boom'],
  ['undefined', undefined],
  ['null', null],
  ['an object', { message: 'ERR not an error' }],
])('responds 503 without details when a client throws %s synchronously', async (_what, thrown) => {
  const explode = (): never => {
    throw thrown
  }
  const server = closeAfter(await startGateway({ send: explode, transaction: explode }))
  expect(await server.post('/', ['A'])).toEqual([503, unavailable])
  expect(await server.post('/multi-exec', [['A']])).toEqual([503, unavailable])
})

test('responds 503 when a transaction resolves to no list', async () => {
  const server = closeAfter(
    await startGateway({
      send: informed(async () => null),
      transaction: async () => undefined as unknown as [],
    }),
  )
  expect(await server.post('/multi-exec', [['A']])).toEqual([503, unavailable])
})

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })

describe('replyErrorText', () => {
  class ErrorReply extends Error {}
  class SimpleError extends ErrorReply {}

  test.each<[string, unknown]>([
    ['ERR wrong', new Error('ERR wrong')],
    ['NOSCRIPT No matching script.', new Error('NOSCRIPT No matching script.')],
    ['EXECABORT discarded', new Error('EXECABORT discarded')],
    ['MY_CODE own', new Error('MY_CODE own')],
    ['ERR', new Error('ERR')],
    ['my own words', named('ReplyError', 'my own words')],
    ['IO trouble in a script', named('ReplyError', 'IO trouble in a script')],
    ['my own words', new SimpleError('my own words')],
    ['WRONGTYPE', Object.assign(named('ReplyError', 'WRONGTYPE'), { code: 'WRONGTYPE' })],
  ])('is %j', (text, error) => {
    expect(replyErrorText(error)).toBe(text)
  })

  test.each<[string, unknown]>([
    ['a rejected connection', new Error('connect ECONNREFUSED 127.0.0.1:6379')],
    ['a system error', Object.assign(new Error('READ failed'), { code: 'ECONNRESET' })],
    ['a bare errno', new Error('ECONNRESET')],
    ['an errno and words', new Error('ETIMEDOUT after 5 s')],
    ['a timeout', new Error('Command timed out')],
    ['a closed client', new Error('Connection is closed.')],
    ['an aggregate', new AggregateError([], '')],
    ['a gateway of its own', new Error('HTTP 502 from upstream')],
    ['TLS', new Error('TLS handshake failed')],
    ['one capital letter', new Error('A sentence')],
    ['lower case', new Error('err wrong')],
    ['a TypeError', new TypeError('Cannot read properties of undefined')],
    ['an object', { name: 'ReplyError', message: 'ERR wrong' }],
    ['a string', 'ERR wrong'],
    ['undefined', undefined],
  ])('is undefined for %s', (_what, error) => {
    expect(replyErrorText(error)).toBeUndefined()
  })
})
