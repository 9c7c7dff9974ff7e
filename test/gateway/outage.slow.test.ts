import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { RedisCommand } from '../../src/entries/gateway.ts'
import { until } from '../../tools/cli/until.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { backends } from './backends.ts'
import { closeAfter, startGateway } from './support.ts'
import { later } from '../support/signals.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Whether nothing listens on a port. */
const rejects = async (port: number): Promise<boolean> => {
  const socket = connectTcp({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

// A command that a Redis client keeps during an outage runs after it, although the client of the
// gateway has given up: a lock is then held by nobody.
describe.each(Object.entries(backends))('%s', (_name, connect) => {
  // The documented adapter has no listener for connection errors, so ioredis prints them.
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const start = async () => {
    const redis = await startRedis()
    const backend = await connect(redis.port)
    const handedOver = new Map<string, () => void>()
    const note = ([, key]: RedisCommand): void => handedOver.get(String(key))?.()
    const server = await startGateway({
      ...backend,
      // Otherwise the gateway asks the server about each command first.
      allow: ['PING', 'SET', 'EXISTS', 'LLEN', 'DBSIZE', 'KEYS'],
      send: (command) => {
        note(command)
        return backend.send(command)
      },
    })
    return {
      redis,
      backend,
      server,
      /** Sends a request that its client aborts as soon as the Redis client has got the command. */
      giveUp: async (path: string, key: string, command: unknown) => {
        const { promise, resolve } = later()
        handedOver.set(key, resolve)
        const client = new AbortController()
        const init = { method: 'POST', body: JSON.stringify(command), signal: client.signal }
        const settled = server.request(path, init).catch(() => {})
        await promise
        client.abort()
        await settled
      },
      stop: async () => {
        await server.close()
        await backend.close()
        await redis.stop()
      },
    }
  }

  test('connects again after a connection that ended before its first reply', async () => {
    const redis = await startRedis()
    const sockets: Socket[] = []
    const middle = createServer((socket) => {
      socket.on('error', () => {})
      // The second connection, since an adapter may fail if its first one does.
      if (sockets.push(socket) === 2) socket.once('data', () => socket.resetAndDestroy())
      else socket.pipe(connectTcp({ host: '127.0.0.1', port: redis.port })).pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(middle, 'listening')
    const backend = await connect((middle.address() as AddressInfo).port)
    const works = async (): Promise<boolean> =>
      backend.send(['PING']).then(
        () => true,
        () => false,
      )
    try {
      await until(works, 20_000)
      sockets[0]!.destroy()
      await until(async () => sockets.length >= 2 && !(await works()), 20_000)
      await until(works, 20_000)
      expect(sockets.length).toBeGreaterThan(2)
    } finally {
      await backend.close()
      middle.close()
      await redis.stop()
    }
  })

  test('runs no command of an outage after it', async () => {
    const { redis, server, giveUp, stop } = await start()
    const works = async (path: string, command: unknown) =>
      until(async () => (await server.post(path, command))[0] === 200, 20_000)
    try {
      for (let outage = 0; outage < 5; outage += 1) {
        await works('/', ['PING'])
        await works('/multi-exec', [['PING']])
        await redis.crash()
        // A transaction may have a connection of its own, so its end is waited for.
        expect((await server.post('/multi-exec', [['SET', 'list', '1']]))[0]).toBe(503)
        const keys: string[] = []
        const abandoned = ['list']
        let restarting: Promise<void> | undefined
        do {
          abandoned.push(...keys)
          keys.splice(0, 2, ...['one', 'listed'].map((name) => `${name}${abandoned.length}`))
          await giveUp('/', keys[0]!, ['SET', keys[0], '1'])
          await giveUp('/pipeline', keys[1]!, [['SET', keys[1], '1']])
          if (abandoned.length > 1) restarting ??= redis.restart()
        } while (await rejects(redis.port))
        await restarting
        await works('/', ['PING'])
        await works('/multi-exec', [['PING']])
        const [, found] = await server.post('/', ['EXISTS', ...abandoned])
        expect([abandoned.length > 1, found]).toEqual([true, { result: 0 }])
      }
    } finally {
      await stop()
    }
  })

  test('rejects a command at once while there is no connection', async () => {
    const { redis, backend, server, stop } = await start()
    try {
      expect((await server.post('/', ['PING']))[0]).toBe(200)
      await redis.crash()
      await until(async () => (await server.post('/', ['PING']))[0] === 503, 20_000)
      const sent = backend.send(['SET', 'a', '1']).then(
        () => 'ran',
        () => 'rejected',
      )
      // No connection can be made or fail in one turn of the event loop.
      expect(await Promise.race([sent, setImmediate('kept')])).toBe('rejected')
    } finally {
      await stop()
    }
  })
})

test.each(Object.entries(backends))(
  '%s: the first command is answered, and so is the first transaction',
  async (_name, connect) => {
    const redis = closeAfter(await startRedis())
    const backend = closeAfter(await connect(redis.port))
    const [pong, list] = await Promise.all([
      backend.send(['PING']),
      backend.transaction([['PING']]),
    ])
    expect([String(pong), String(list)]).toEqual(['PONG', 'PONG'])
  },
)

test.each(Object.entries(backends).filter(([name]) => name.includes('ioredis')))(
  '%s opens another connection if one falls silent without an end',
  async (_name, connect) => {
    const redis = await startRedis()
    let isSilent = false
    let connections = 0
    const middle = createServer((socket) => {
      socket.on('error', () => {})
      const target = connectTcp({ host: '127.0.0.1', port: redis.port }).on('error', () => {})
      const own = connections++
      socket.on('data', (data) => (isSilent && own === 0) || target.write(data))
      target.pipe(socket)
    }).listen(0, '127.0.0.1')
    await once(middle, 'listening')
    const backend = await connect((middle.address() as AddressInfo).port)
    const server = await startGateway(backend)
    const answers = async (): Promise<boolean> => {
      const post = server.post('/', ['PING']).then(([status]) => status === 200)
      return Promise.race([post, sleep(1_000, false)])
    }
    try {
      await until(answers, 20_000)
      isSilent = true
      await until(answers, 20_000)
      expect(connections).toBeGreaterThan(1)
    } finally {
      await server.close()
      await backend.close()
      middle.close()
      await redis.stop()
    }
  },
)
