import { expect, test } from 'vitest'
import { closeAfter, informed, startGateway, useGateway } from './support.ts'

const use = useGateway()

const base64 = { 'Upstash-Encoding': 'base64' }
const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)

test('base64 preserves every byte, also in nested arrays', async () => {
  await use.backend.send(['SET', 'bytes', everyByte])
  const encoded = Buffer.from(everyByte).toString('base64')
  expect(await use.server.post('/', ['GET', 'bytes'], base64)).toEqual([200, { result: encoded }])
  expect(
    await use.server.post(
      '/',
      ['EVAL', "return {1, {redis.call('GET', KEYS[1])}}", 1, 'bytes'],
      base64,
    ),
  ).toEqual([200, { result: [1, [encoded]] }])
  expect(
    await use.server.post(
      '/pipeline',
      [
        ['GET', 'bytes'],
        ['GET', 'no'],
      ],
      base64,
    ),
  ).toEqual([200, [{ result: encoded }, { result: null }]])
  expect(await use.server.post('/multi-exec', [['GET', 'bytes']], base64)).toEqual([
    200,
    [{ result: encoded }],
  ])
})

test('base64 does not encode OK, numbers, null and errors', async () => {
  expect(await use.server.post('/', ['SET', 'a', 'OK'], base64)).toEqual([200, { result: 'OK' }])
  expect(await use.server.post('/', ['GET', 'a'], base64)).toEqual([200, { result: 'OK' }])
  expect(await use.server.post('/', ['STRLEN', 'a'], base64)).toEqual([200, { result: 2 }])
  expect(await use.server.post('/', ['GET', 'no'], base64)).toEqual([200, { result: null }])
  expect(await use.server.post('/', ['PING'], base64)).toEqual([200, { result: btoa('PONG') }])
  expect(await use.server.post('/', ['INCR', 'a'], base64)).toEqual([
    400,
    { error: 'ERR value is not an integer or out of range' },
  ])
  expect(await use.server.post('/pipeline', [['INCR', 'a']], base64)).toEqual([
    200,
    [{ error: 'ERR value is not an integer or out of range' }],
  ])
})

test('an OK inside an array is encoded, since clients decode every string there', async () => {
  expect(await use.server.post('/', ['EVAL', "return {'OK'}", 0], base64)).toEqual([
    200,
    { result: [btoa('OK')] },
  ])
  expect(await use.server.upstash().eval("return {'OK'}", [], [])).toEqual(['OK'])
})

test('without the header, strings are UTF-8 text that keeps a byte order mark', async () => {
  await use.server.post('/', ['SET', 'text', '\ufeffé😀'])
  expect(await use.server.post('/', ['GET', 'text'])).toEqual([200, { result: '\ufeffé😀' }])
  await use.backend.send(['SET', 'bytes', Uint8Array.of(0x61, 0xff, 0x62)])
  expect(await use.server.post('/', ['GET', 'bytes'])).toEqual([200, { result: 'a\ufffdb' }])
})

test('responds 400 when a client asks for RESP2', async () => {
  const [status, body] = await use.server.post('/', ['PING'], {
    'Upstash-Response-Format': 'resp2',
  })
  expect([status, body]).toEqual([400, { error: expect.stringContaining('only json') }])
  const json = await use.server.post('/', ['PING'], { 'Upstash-Response-Format': 'json' })
  expect(json).toEqual([200, { result: 'PONG' }])
})

const shapes: [what: string, reply: unknown, text: unknown, encoded: unknown][] = [
  [
    'a Map',
    new Map<string, unknown>([['a', ['b', 1]]]),
    ['a', ['b', 1]],
    [btoa('a'), [btoa('b'), 1]],
  ],
  ['an object', { a: 'b' }, ['a', 'b'], [btoa('a'), btoa('b')]],
  ['a Set', new Set(['a']), ['a'], [btoa('a')]],
  ['a boolean', true, 1, 1],
  ['a bigint', 12n, 12, 12],
  ['undefined', undefined, null, null],
  ['a string', 'é', 'é', 'w6k='],
  ['a view', new Uint8Array(everyByte.buffer, 97, 2), 'ab', btoa('ab')],
]

test.each(shapes)(
  '%s from a Redis client becomes what RESP2 would have',
  async (_what, reply, text, encoded) => {
    const shaped = closeAfter(
      await startGateway({
        send: informed(async () => reply),
        transaction: async () => [reply],
      }),
    )
    expect(await shaped.post('/', ['X'])).toEqual([200, { result: text }])
    expect(await shaped.post('/', ['X'], base64)).toEqual([200, { result: encoded }])
    expect(await shaped.post('/multi-exec', [['X']])).toEqual([200, [{ result: text }]])
  },
)
