import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { until } from '../../tools/cli/until.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { commandInfoReply, startFakeRedis } from './fake-redis.ts'
import { backends } from './backends.ts'
import { type Running, closeAfter, startGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

// Errors of a server that runs nothing now, but may soon: 503 with Retry-After, since a client can
// send the same request again. Errors that last until somebody intervenes stay 400.

type Answer = [status: number, retryAfter: string | null, body: unknown]

const answerTo = async (server: Running, path: string, body: unknown): Promise<Answer> => {
  const response = await server.request(path, { method: 'POST', body: JSON.stringify(body) })
  return [response.status, response.headers.get('retry-after'), await response.json()]
}

/** A server that replies LOADING to every command and never finishes loading. */
const startLoading = () => {
  const info = 'loading:1\r\nloading_eta_seconds:600'
  return startFakeRedis((name) => {
    if (name === 'INFO') return `$${info.length}\r\n${info}\r\n`
    if (/^(?:CLIENT|MULTI)$/.test(name)) return '+OK\r\n'
    // As Redis does while it loads.
    if (name === 'COMMAND') return commandInfoReply
    return '-LOADING Redis is loading the dataset in memory\r\n'
  })
}

test.each(Object.entries(backends))(
  '%s: LOADING is 503 with Retry-After on every route, at once',
  async (_name, connect) => {
    const redis = closeAfter(await startLoading())
    const backend = closeAfter(await connect(redis.port))
    const server = closeAfter(await startGateway(backend))
    const error = 'LOADING Redis is loading the dataset in memory'
    const expected = [503, '1', { error }]
    expect(await answerTo(server, '/', ['GET', 'a'])).toEqual(expected)
    const sent = redis.received.filter((name) => name === 'GET').length
    const list = [
      ['GET', 'a'],
      ['GET', 'b'],
    ]
    expect(await answerTo(server, '/pipeline', list)).toEqual(expected)
    // The second command of the pipeline is not sent: "nothing has run" must be true.
    expect(redis.received.filter((name) => name === 'GET').length).toBe(sent + 1)
    expect(await answerTo(server, '/multi-exec', list)).toEqual(expected)
    const headers = { accept: 'text/event-stream' }
    const stream = await server.request('/subscribe/chat', { headers })
    expect([stream.status, stream.headers.get('retry-after'), await stream.json()]).toEqual(
      expected,
    )
  },
)

describe('on a real Redis', () => {
  const withRedis = async (
    run: (server: Running, direct: Redis) => Promise<void>,
  ): Promise<void> => {
    const redis = await startRedis()
    const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
    const server = await startGateway(backend)
    const direct = new Redis({ host: '127.0.0.1', port: redis.port })
    try {
      await run(server, direct)
    } finally {
      direct.disconnect()
      await server.close()
      await backend.close()
      await redis.stop()
    }
  }

  test(
    'BUSY, while the script of another client runs, is 503 until the script is ended',
    () =>
      withRedis(async (server, direct) => {
        await direct
          .config('SET', 'busy-reply-threshold', '1')
          .catch(() => direct.config('SET', 'lua-time-limit', '1'))
        // A busy server answers no new connection.
        const operator = direct.duplicate()
        await operator.ping()
        const endless = direct.eval('while true do end', 0).catch((error: unknown) => error)
        const busy = [503, '1', { error: expect.stringMatching(/^BUSY /) }]
        await until(async () => (await answerTo(server, '/', ['GET', 'a']))[0] === 503, 30_000)
        expect(await answerTo(server, '/', ['GET', 'a'])).toEqual(busy)
        expect(
          await answerTo(server, '/pipeline', [
            ['GET', 'a'],
            ['GET', 'b'],
          ]),
        ).toEqual(busy)
        expect(await answerTo(server, '/multi-exec', [['SET', 'a', 1]])).toEqual(busy)
        expect(await operator.script('KILL')).toBe('OK')
        operator.disconnect()
        expect(String(await endless)).toContain('killed')
        // The connection of the failed transaction is not used again.
        expect(await answerTo(server, '/multi-exec', [['SET', 'a', 1]])).toEqual([
          200,
          null,
          [{ result: 'OK' }],
        ])
      }),
    30_000,
  )

  test('MASTERDOWN of a replica without its primary is 503; READONLY of a replica is 400', () =>
    withRedis(async (server, direct) => {
      await direct.set('a', 'x')
      await direct.config('SET', 'replica-serve-stale-data', 'no')
      await direct.replicaof('127.0.0.1', '1')
      const down = [503, '1', { error: expect.stringMatching(/^MASTERDOWN /) }]
      expect(await answerTo(server, '/', ['GET', 'a'])).toEqual(down)
      await direct.config('SET', 'replica-serve-stale-data', 'yes')
      expect(await answerTo(server, '/', ['GET', 'a'])).toEqual([200, null, { result: 'x' }])
      expect(await answerTo(server, '/', ['SET', 'a', 'y'])).toEqual([
        400,
        null,
        { error: expect.stringMatching(/^READONLY /) },
      ])
    }))

  test('NOREPLICAS is 503, but fails only its own command in the middle of a pipeline', () =>
    withRedis(async (server, direct) => {
      await direct.set('a', 'x')
      await direct.config('SET', 'min-replicas-to-write', '1')
      const error = expect.stringMatching(/^NOREPLICAS /)
      expect(await answerTo(server, '/', ['SET', 'a', 'y'])).toEqual([503, '1', { error }])
      expect(
        await answerTo(server, '/pipeline', [
          ['SET', 'a', 'y'],
          ['GET', 'a'],
        ]),
      ).toEqual([503, '1', { error }])
      expect(
        await answerTo(server, '/pipeline', [
          ['GET', 'a'],
          ['SET', 'a', 'y'],
          ['GET', 'a'],
        ]),
      ).toEqual([200, null, [{ result: 'x' }, { error }, { result: 'x' }]])
    }))

  test('OOM, BUSYKEY and BUSYGROUP are 400', () =>
    withRedis(async (server, direct) => {
      await direct.set('a', 'x')
      await direct.xgroup('CREATE', 's', 'g', '$', 'MKSTREAM')
      const restore = "return redis.call('RESTORE', 'a', 0, redis.call('DUMP', 'a'))"
      const group = await answerTo(server, '/', ['XGROUP', 'CREATE', 's', 'g', '$'])
      expect(group).toEqual([400, null, { error: expect.stringMatching(/^BUSYGROUP /) }])
      const key = await answerTo(server, '/', ['EVAL', restore, 0])
      expect(key).toEqual([400, null, { error: expect.stringMatching(/BUSYKEY /) }])
      await direct.config('SET', 'maxmemory', '1')
      const full = await answerTo(server, '/', ['SET', 'b', 'y'])
      expect(full).toEqual([400, null, { error: expect.stringMatching(/^OOM /) }])
    }))
})

test('a transaction that MULTI does not begin runs nothing', async () => {
  const redis = await startRedis()
  const admin = new Redis({ host: '127.0.0.1', port: redis.port })
  for (const connect of Object.values(backends)) {
    await admin.call('ACL', 'SETUSER', 'default', '+@all')
    const backend = closeAfter(await connect(redis.port))
    const server = closeAfter(await startGateway(backend))
    await admin.call('ACL', 'SETUSER', 'default', '-multi')
    const [status, , body] = await answerTo(server, '/multi-exec', [['SET', 'ran', '1']])
    expect([status, body]).toEqual([
      400,
      { error: expect.stringMatching(/^EXECABORT .*: NOPERM .*multi/) },
    ])
    expect(await server.post('/', ['EXISTS', 'ran'])).toEqual([200, { result: 0 }])
  }
  admin.disconnect()
  await redis.stop()
})
