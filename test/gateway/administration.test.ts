import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RedisCommand } from '../../src/entries/gateway.ts'
import { type Backend, ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { eventually } from '../support/eventually.ts'
import { closeAfter, type Running, startGateway } from './support.ts'

// A token without `allow` permits everything to be done to keys, but nothing to the server and to its other users.

let redis: Awaited<ReturnType<typeof startRedis>>
let backend: Backend
let server: Running
beforeAll(async () => {
  redis = await startRedis()
  backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  server = await startGateway(backend)
})
afterAll(async () => {
  await server.close()
  await backend.close()
  await redis.stop()
})

const rejected = { error: expect.stringMatching(/^ERR Command is not available: '/) }

type Entry = [name: Buffer, arity: bigint, flags: Buffer[], firstKey: bigint, ...rest: unknown[]]

/** All commands and subcommands of the server. */
const commandTable = async (): Promise<Entry[]> => {
  const table = (await backend.send(['COMMAND'])) as Entry[]
  return table.concat(table.flatMap((entry) => (entry[9] as Entry[] | undefined) ?? []))
}

const textsOf = (list: unknown): string[] => (list as Buffer[]).map(String)

describe('without `allow`', () => {
  it('no command of @admin, @dangerous or @blocking runs, nor a subcommand of them', async () => {
    const table = await commandTable()
    const marked = table
      .filter(([, , , , , , categories]) =>
        textsOf(categories).some((one) => /^@(?:admin|dangerous|blocking)$/.test(one)),
      )
      .map(([name]) => String(name))
    expect(marked).toEqual(
      expect.arrayContaining(['pfselftest', 'pfdebug', 'swapdb', 'bgsave', 'slowlog|get', 'keys']),
    )
    for (const name of marked) {
      const args = name.startsWith('xread') ? ['BLOCK', '0', 'STREAMS', 's', '0'] : ['a', '0']
      const [status, body] = await server.post('/', [...name.split('|'), ...args])
      expect([name, status, body]).toEqual([name, 400, rejected])
    }
  })

  it('no command about the server or another database runs that Redis has in none of these categories', async () => {
    const commands = [
      ['SCRIPT', 'KILL'],
      ['FUNCTION', 'KILL'],
      ['FUNCTION', 'STATS'],
      ['FUNCTION', 'FLUSH'],
      ['FUNCTION', 'DELETE', 'library'],
      ['MEMORY', 'PURGE'],
      ['MEMORY', 'DOCTOR'],
      ['memory', 'Purge'],
      ['MEMORY', 'PURGE\0x'],
      ['ACL', 'WHOAMI'],
      ['LATENCY', 'HELP'],
      ['SCRIPT', 'FLUSH'],
      ['Script', 'Flush\0x', 'ASYNC'],
      ['SCRIPT', 'DEBUG', 'YES'],
      ['FUNCTION', 'LIST', 'WITHCODE'],
      ['FUNCTION', 'DUMP'],
      ['MOVE', 'key', '1'],
      ['COPY', 'key', 'key', 'DB', '1', 'REPLACE'],
      ['copy', 'key', 'other', 'REPLACE', 'db', '1'],
      ['COPY', 'key', 'other', 'db\0x', '1'],
      ['SLOWLOG', 'HELP'],
    ]
    for (const command of commands) {
      expect([command, ...(await server.post('/', command))]).toEqual([command, 400, rejected])
      expect(await server.post('/pipeline', [command])).toEqual([200, [rejected]])
      const [status, body] = await server.post('/multi-exec', [['SET', 'a', '1'], command])
      expect([command, status, body]).toEqual([
        command,
        400,
        { error: expect.stringContaining('Command is not available') },
      ])
    }
  })

  it('every other command that names keys is passed on', async () => {
    for (const [name, , flags, firstKey, , , categories] of await commandTable()) {
      const isMarked = textsOf(categories).some((one) =>
        /^@(?:admin|dangerous|blocking)$/.test(one),
      )
      const hasKeys = Number(firstKey) > 0 || textsOf(flags).includes('movablekeys')
      const words = String(name).split('|')
      if (isMarked || !hasKeys || /^(?:watch|move|s(?:un)?subscribe)$/.test(words[0]!)) continue
      const [, body] = await server.post('/', [...words, 'key'])
      expect([words, JSON.stringify(body)]).toEqual([
        words,
        expect.not.stringContaining('not available'),
      ])
    }
  })

  it('commands without keys run that change nothing for others', async () => {
    const fine = [
      ['PING'],
      ['ECHO', 'a'],
      ['TIME'],
      ['DBSIZE'],
      ['SCAN', '0'],
      ['RANDOMKEY'],
      ['PUBLISH', 'channel', 'a'],
      ['PUBSUB', 'CHANNELS'],
      ['SCRIPT', 'LOAD', 'return 1'],
      ['SCRIPT', 'EXISTS', 'a'],
      ['EVAL', 'return 1', '0'],
      ['EVAL_RO', 'return 1', '0'],
      ['COPY', 'db', 'DB'],
      ['CLIENT', 'ID'],
      ['XREAD', 'STREAMS', 'none', '0'],
      ['COMMAND', 'COUNT'],
    ]
    for (const command of fine) {
      expect([command, (await server.post('/', command))[0]]).toEqual([command, 200])
    }
  })

  it('leaves the answer about an unknown command to the server', async () => {
    for (const command of [['NOSUCH', 'a'], ['SCRIPT', 'NOSUCH'], ['SCRIPT']]) {
      const error = expect.stringMatching(/unknown (?:command|subcommand)|wrong number/)
      expect(await server.post('/', command)).toEqual([400, { error }])
    }
  })

  it('asks about each command once, and again after the connection was lost', async () => {
    const asked: string[] = []
    let isLost = false
    const send = (command: RedisCommand): Promise<unknown> => {
      if (command[0] === 'COMMAND') asked.push(String(command[2]))
      return isLost ? Promise.reject(new Error('Connection is closed.')) : backend.send(command)
    }
    const own = closeAfter(await startGateway({ ...backend, send }))
    for (const command of [
      ['GET', 'a'],
      ['get', 'b'],
      ['SET', 'a', '1'],
      ['GET', 'a'],
    ]) {
      expect((await own.post('/', command))[0]).toBe(200)
    }
    expect(asked).toEqual(['GET', 'SET'])
    isLost = true
    expect((await own.post('/', ['GET', 'a']))[0]).toBe(503)
    isLost = false
    expect((await own.post('/', ['GET', 'a']))[0]).toBe(200)
    expect(asked).toEqual(['GET', 'SET', 'GET'])
  })

  it('lets nothing through that the server does not let it ask about', async () => {
    const closed = await startRedis()
    const restricted = ioredisBackend({ host: '127.0.0.1', port: closed.port })
    closeAfter({
      stop: async () => {
        await restricted.close()
        await closed.stop()
      },
    })
    await restricted.send(['ACL', 'SETUSER', 'default', '-command'])
    const own = closeAfter(await startGateway(restricted))
    expect(await own.post('/', ['GET', 'a'])).toEqual([
      400,
      { error: expect.stringMatching(/COMMAND INFO.*`allow`/) },
    ])
    const named = closeAfter(await startGateway({ ...restricted, allow: ['GET'] }))
    expect(await named.post('/', ['GET', 'a'])).toEqual([200, { result: null }])
  })
})

it('with `allow`, a command of @dangerous runs that it names', async () => {
  const own = closeAfter(await startGateway({ ...backend, allow: ['KEYS', 'SET'] }))
  await eventually(async () =>
    expect((await own.post('/', ['SET', 'named', '1']))[1]).toEqual({ result: 'OK' }),
  )
  expect(await own.post('/', ['KEYS', 'named'])).toEqual([200, { result: ['named'] }])
})
