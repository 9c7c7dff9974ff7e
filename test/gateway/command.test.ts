import { expect, test, vi } from 'vitest'
import { useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const use = useGateway()

test('returns every type of reply', async () => {
  expect(await use.server.post('/', ['SET', 'a', 'b'])).toEqual([200, { result: 'OK' }])
  expect(await use.server.post('/', ['GET', 'a'])).toEqual([200, { result: 'b' }])
  expect(await use.server.post('/', ['GET', 'none'])).toEqual([200, { result: null }])
  expect(await use.server.post('/', ['STRLEN', 'a'])).toEqual([200, { result: 1 }])
  expect(await use.server.post('/', ['RPUSH', 'l', 'x', 'y'])).toEqual([200, { result: 2 }])
  expect(await use.server.post('/', ['LRANGE', 'l', 0, -1])).toEqual([200, { result: ['x', 'y'] }])
  expect(await use.server.post('/', ['MGET', 'a', 'no'])).toEqual([200, { result: ['b', null] }])
  expect(
    await use.server.post('/', ['EVAL', "return {1, {'a', {2}}, {}, {err='E x'}}", 0]),
  ).toEqual([200, { result: [1, ['a', [2]], [], 'E x'] }])
})

test('passes arguments on as the client wrote them', async () => {
  const body =
    '["RPUSH","l",10000,12345678901234567890,1.0,-0.5,1e3,0.1,true,false,null,"","007","é😀\\u0000"]'
  await use.server.request('/', { method: 'POST', body })
  expect(await use.server.post('/', ['LRANGE', 'l', 0, -1])).toEqual([
    200,
    {
      result: [
        '10000',
        '12345678901234567890',
        '1.0',
        '-0.5',
        '1e3',
        '0.1',
        'true',
        'false',
        'null',
        '',
        '007',
        'é😀\0',
      ],
    },
  ])
})

test.each([
  '0',
  '-0',
  '1.0',
  '0.10',
  '1e3',
  '1E3',
  '-5',
  '999999999999999',
  '9007199254740993',
  '123456789012345678901234567890',
])('passes the number %s on as it is written, also alone', async (number) => {
  for (const body of [`["SET","n",${number}]`, `[ "SET" , "n\\"e-1.5" , ${number} ]`]) {
    await use.server.request('/', { method: 'POST', body })
    const key = (JSON.parse(body) as string[])[1]!
    expect(await use.server.post('/', ['GET', key])).toEqual([200, { result: number }])
  }
})

test('responds 400 with the error of Redis', async () => {
  await use.server.post('/', ['SET', 'text', 'x'])
  const sha = '0'.repeat(40)
  const failures: [unknown[], RegExp][] = [
    [['EVALSHA', sha, 0], /^NOSCRIPT No matching script/],
    [['INCR', 'text'], /^ERR value is not an integer/],
    [['LPUSH', 'text', 'a'], /^WRONGTYPE /],
    [['GET'], /^ERR wrong number of arguments for 'get' command/],
    [['NOSUCH', 'a'], /^ERR unknown command/],
    [['EVAL', "return redis.error_reply('custom words')", 0], /^custom words$/],
  ]
  for (const [command, error] of failures) {
    expect(await use.server.post('/', command)).toEqual([
      400,
      { error: expect.stringMatching(error) },
    ])
  }
})

const malformed: [what: string, path: string, body: BodyInit, error: RegExp][] = [
  ['no body', '/', '', /failed to parse/],
  ['text', '/', 'SET a b', /failed to parse/],
  ['half an array', '/', '["SET","a"', /failed to parse/],
  ['half of a surrogate pair', '/', '["SET","a","\\ud83d"]', /bad argument: half of a surrogate/],
  ['a surrogate pair that is reversed', '/', '["GET","\\ude00\\ud83d"]', /bad argument: half/],
  ['bytes that are not UTF-8', '/', Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), /failed to parse/],
  ['endless nesting', '/', '['.repeat(500_000), /failed to parse/],
  ['an object', '/', '{"0":"GET"}', /bad command/],
  ['a string', '/', '"PING"', /bad command/],
  ['null', '/', 'null', /bad command/],
  ['an empty command', '/', '[]', /empty command/],
  ['an empty name', '/', '["","a"]', /empty command/],
  ['a list of commands', '/', '[["PING"]]', /bad argument/],
  ['an object as argument', '/', '["SET","a",{}]', /bad argument/],
  ['an array as argument', '/', '["SET","a",["b"]]', /bad argument/],
  ['a prototype', '/', '["__proto__"]', /^ERR unknown command/],
  ...['/pipeline', '/multi-exec'].flatMap((path): [string, string, BodyInit, RegExp][] => [
    ['nothing', path, '', /failed to parse/],
    ['an object', path, '{}', /bad request/],
    ['no commands', path, '[]', /empty request/],
    ['one flat command', path, '["SET","marker","b"]', /bad command/],
    ['an empty command', path, '[["SET","marker","b"],[]]', /empty command/],
    ['a bad argument', path, '[["SET","marker","b"],["GET",{}]]', /bad argument/],
    ['half of a pair', path, '[["SET","marker","b"],["GET","\\udc00"]]', /bad argument: half/],
  ]),
]

test.each(malformed)(
  'responds 400 to %s at %s and runs nothing',
  async (_what, path, body, error) => {
    const response = await use.server.request(path, { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: expect.stringMatching(error) })
    expect(await use.backend.send(['DBSIZE'])).toBe(0n)
  },
)

test('surrogate pairs and escapes are text like any other', async () => {
  const body = '["SET","\\ud83d\\ude00","\\u0000\\ufffd"]'
  await use.server.request('/', { method: 'POST', body })
  expect(await use.server.post('/', ['GET', '😀'])).toEqual([200, { result: '\0\ufffd' }])
  // In a path, bytes that would be half of a pair in UTF-8 are bytes like any other.
  expect((await use.server.request('/set/b/%ED%A0%80')).status).toBe(200)
  expect(await use.backend.send(['GET', 'b'])).toEqual(Buffer.of(0xed, 0xa0, 0x80))
})

test('too many arguments are rejected before they are parsed', async () => {
  const error = 'ERR too many arguments: 1048575 at most'
  // No JSON: parsing it would end in another error.
  const words = `${',1'.repeat(5_000_000)},?`
  for (const [path, body] of [
    ['/', `["DEL"${words}]`],
    ['/pipeline', `[["DEL"${words}]]`],
    ['/multi-exec', `[["A"]${',["A"]'.repeat(1_048_576)},?]`],
  ] as const) {
    const response = await use.server.request(path, { method: 'POST', body })
    expect([response.status, await response.json()]).toEqual([400, { error }])
  }
  // Commas in a text are no arguments.
  const text = '"\\",'.repeat(600_000)
  const response = await use.server.post('/', ['STRLEN', text])
  expect(response).toEqual([200, { result: 0 }])
})
