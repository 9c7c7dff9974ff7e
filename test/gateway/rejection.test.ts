import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { type Running, closeAfter, spy, startGateway } from './support.ts'

const { commands, ...backend } = spy()
let server: Running

beforeAll(async () => {
  server = await startGateway(backend)
})
afterAll(() => server.close())
beforeEach(() => {
  commands.length = 0
})

const blocking: string[][] = [
  ['BLPOP', 'list', '0'],
  ['BRPOP', 'list', '0'],
  ['BRPOPLPUSH', 'a', 'b', '0'],
  ['BLMOVE', 'a', 'b', 'LEFT', 'LEFT', '0'],
  ['BLMPOP', '0', '1', 'a', 'LEFT'],
  ['BZPOPMIN', 'set', '0'],
  ['BZPOPMAX', 'set', '0'],
  ['BZMPOP', '0', '1', 'set', 'MIN'],
  ['WAIT', '1', '0'],
  ['WAITAOF', '1', '0', '0'],
  ['SAVE'],
  ['XREAD', 'BLOCK', '0', 'STREAMS', 's', '$'],
  ['XREAD', 'COUNT', '1', 'block', '0', 'STREAMS', 's', '$'],
  ['XREAD', 'BLOCK\0', '0', 'STREAMS', 's', '$'],
  ['XREADGROUP', 'GROUP', 'g', 'c', 'Block', '0', 'STREAMS', 's', '>'],
  ['XREADGROUP', 'GROUP', 'STREAMS', 'c', 'BLOCK', '0', 'STREAMS', 's', '>'],
  ['XREADGROUP', 'BLOCK', '0', 'GROUP', 'g', 'c', 'STREAMS', 's', '>'],
  ['XREADGROUP', 'GROUP', 'g', 'STREAMS', 'NOACK', 'BLOCK', '0', 'STREAMS', 's', '>'],
]

const connection: string[][] = [
  ['SUBSCRIBE', 'a'],
  ['PSUBSCRIBE', 'a'],
  ['SSUBSCRIBE', 'a'],
  ['UNSUBSCRIBE'],
  ['PUNSUBSCRIBE'],
  ['SUNSUBSCRIBE'],
  ['MONITOR'],
  ['SELECT', '1'],
  ['AUTH', 'secret'],
  ['HELLO', '3'],
  ['RESET'],
  ['QUIT'],
  ['ASKING'],
  ['READONLY'],
  ['READWRITE'],
  ['CLIENT'],
  ['CLIENT', 'REPLY', 'OFF'],
  ['CLIENT', 'TRACKING', 'ON'],
  ['CLIENT', 'caching', 'yes'],
  ['CLIENT', 'NO-EVICT', 'ON'],
  ['CLIENT', 'SETNAME', 'a'],
  ['CLIENT', 'PAUSE', '1000'],
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['CLIENT', ' REPLY', 'OFF'],
  ['MULTI'],
  ['EXEC'],
  ['DISCARD'],
  ['WATCH', 'a'],
  ['UNWATCH'],
  ['SCRIPT', 'DEBUG', 'YES'],
]

const administration: string[][] = [
  ['SHUTDOWN', 'NOSAVE'],
  ['SYNC'],
  ['PSYNC', '?', '-1'],
  ['REPLICAOF', 'NO', 'ONE'],
  ['SLAVEOF', 'NO', 'ONE'],
  ['REPLCONF', 'ACK', '0'],
  ['FAILOVER'],
  ['DEBUG', 'SLEEP', '1'],
  ['MIGRATE', 'host', '6379', 'key', '0', '1'],
  ['CONFIG', 'SET', 'dir', '/tmp'],
  ['MODULE', 'LOAD', 'x.so'],
  ['ACL', 'SETUSER', 'default', 'on'],
  ['CLUSTER', 'RESET'],
  ['RESTORE-ASKING', 'key', '0', 'x'],
]

const closing: string[][] = [['POST'], ['POST', 'x']]

const path = (command: readonly string[]): string =>
  `/${command.map((word) => encodeURIComponent(word)).join('/')}`

const cases = [...blocking, ...connection, ...administration, ...closing].map(
  (command) => [command.join(' '), command] as const,
)

test.each(cases)(
  '%s is rejected on every route, in upper and lower case',
  async (_name, command) => {
    const [name, ...args] = command
    for (const spelled of [name!, name!.toLowerCase(), name![0]! + name!.slice(1).toLowerCase()]) {
      const written = [spelled, ...args]
      const error = expect.stringMatching(/^ERR Command is not available: '[A-Z-]+', since/)
      expect(await server.post('/', written)).toEqual([400, { error }])
      const got = await server.request(path(written))
      expect([got.status, await got.json()]).toEqual([400, { error }])
      expect(await server.post('/pipeline', [written])).toEqual([200, [{ error }]])
      expect(await server.post('/multi-exec', [['SET', 'a', 'b'], written])).toEqual([
        400,
        { error: expect.stringMatching(/^EXECABORT .*Command is not available/) },
      ])
    }
    expect(commands).toEqual([])
  },
)

test('arguments in the body or the query are checked as well', async () => {
  const rejected = { error: expect.stringContaining('not available') }
  const body = await server.request('/client', { method: 'POST', body: 'REPLY' })
  expect([body.status, await body.json()]).toEqual([400, rejected])
  const query = await server.request('/xread?BLOCK=0&STREAMS=s&0')
  expect([query.status, await query.json()]).toEqual([400, rejected])
  expect(commands).toEqual([])
})

const disguises = [
  ' MULTI',
  'MULTI ',
  'MULTI\0',
  '\0MULTI',
  'MULTI\r\n',
  '\tmulti',
  'MULTI\u00a0',
  '\ufeffMULTI',
  '"MULTI"',
  'MULTI EXEC',
  'ＭＵＬＴＩ',
  'ſubscribe',
  'CLIENT|REPLY',
]

test.each(disguises.map((name) => [JSON.stringify(name), name] as const))(
  '%s is not accepted as the name of a command',
  async (_shown, name) => {
    const rejected = [400, { error: expect.stringMatching(/^ERR unknown command/) }]
    expect(await server.post('/', [name])).toEqual(rejected)
    expect(await server.post('/pipeline', [['GET', 'a'], [name]])).toEqual(rejected)
    expect(await server.post('/multi-exec', [['GET', 'a'], [name]])).toEqual(rejected)
    const response = await server.request(path([name]))
    expect([response.status, await response.json()]).toEqual(rejected)
    expect(commands).toEqual([])
  },
)

test('commands that only resemble a rejected one run', async () => {
  const fine = [
    ['XREAD', 'STREAMS', 'BLOCK', '0'],
    ['XREAD', 'COUNT', '1', 'STREAMS', 'a', 'BLOCK', '0', '0'],
    ['XREADGROUP', 'GROUP', 'BLOCK', 'BLOCK', 'STREAMS', 's', '>'],
    ['GET', 'MULTI'],
    ['CLIENT', 'ID'],
    ['CLIENT', 'list'],
    ['SCRIPT', 'LOAD', 'return 1'],
    ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'SUBSCRIBE'],
  ]
  for (const command of fine)
    expect(await server.post('/', command)).toEqual([200, { result: 'OK' }])
  expect(commands).toEqual(fine)
})

test('the other commands of a pipeline run when one is rejected', async () => {
  const [status, entries] = await server.post('/pipeline', [
    ['SET', 'a', '1'],
    ['multi'],
    ['GET', 'a'],
  ])
  expect(status).toBe(200)
  expect(entries).toEqual([
    { result: 'OK' },
    { error: "ERR Command is not available: 'MULTI', since it belongs to a connection" },
    { result: 'OK' },
  ])
  expect(commands).toEqual([
    ['SET', 'a', '1'],
    ['GET', 'a'],
  ])
})

test('only the commands of `allow` run, in upper or lower case', async () => {
  const limited = closeAfter(await startGateway({ ...backend, allow: ['get', 'EVALSHA'] }))
  const error =
    "NOPERM this user has no permissions to run the 'flushall' command or its subcommand"
  expect(await limited.post('/', ['GET', 'a'])).toEqual([200, { result: 'OK' }])
  expect(await limited.post('/', ['evalsha', 'x', '0'])).toEqual([200, { result: 'OK' }])
  expect(await limited.post('/', ['FLUSHALL'])).toEqual([400, { error }])
  expect(await limited.post('/pipeline', [['FlushAll'], ['Get', 'b']])).toEqual([
    200,
    [{ error }, { result: 'OK' }],
  ])
  expect(await limited.post('/multi-exec', [['GET', 'c'], ['FLUSHALL']])).toEqual([
    400,
    { error: `EXECABORT Transaction discarded because of: ${error}` },
  ])
  expect((await limited.request('/flushall')).status).toBe(400)
  expect(commands).toEqual([
    ['GET', 'a'],
    ['EVALSHA', 'x', '0'],
    ['GET', 'b'],
  ])
})

type Entry = [name: Buffer, arity: number, flags: Buffer[], ...rest: unknown[]]

// Commands that scripts may not run block, belong to a connection, or administer the server; these are the exceptions.
const harmless = new Set(
  (
    'eval evalsha eval_ro evalsha_ro fcall fcall_ro function script ' +
    'role latency bgsave bgrewriteaof client|id client|info client|list client|getname'
  ).split(' '),
)
const isHarmless = (name: string): boolean =>
  harmless.has(name) || harmless.has(name.split('|')[0]!)

// Redis before 7 marks them only as `noscript`, and does not list subcommands.
const isMarked = (flags: readonly Buffer[]): boolean =>
  flags.map(String).some((flag) => /^(?:noscript|blocking|no_multi)$/.test(flag))

test('rejects every command that Redis keeps from scripts or marks as blocking', async () => {
  const redis = closeAfter(await startRedis())
  const direct = closeAfter(ioredisBackend({ host: '127.0.0.1', port: redis.port }))
  const table = (await direct.send(['COMMAND'])) as Entry[]
  const dangerous = table
    .concat(table.flatMap((entry) => (entry[9] as Entry[] | undefined) ?? []))
    .filter(([, , flags]) => isMarked(flags))
    .map(([name]) => String(name).toLowerCase())
    .filter((name) => !isHarmless(name))
  expect(dangerous).toEqual(expect.arrayContaining(['blpop', 'multi', 'subscribe', 'replicaof']))
  for (const name of dangerous) {
    const args = name.startsWith('xread') ? ['BLOCK', '0', 'STREAMS', 's', '0'] : ['a', '0']
    expect([name, ...(await server.post('/', [...name.split('|'), ...args]))]).toEqual([
      name,
      400,
      { error: expect.stringContaining('not available') },
    ])
  }
  // Redis reads an option up to NUL: this blocks for 1 ms instead of being a syntax error.
  expect(await direct.send(['XREAD', 'BLOCK\0x', '1', 'STREAMS', 's', '$'])).toBeNull()
})
