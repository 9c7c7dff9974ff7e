import { anyPort } from '../../tools/servers/free-port.ts'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { createClient, createClientPool, createCluster, RESP_TYPES } from 'redis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { adopt, ioredisNode, nodeRedisNode, Redlock, serialize } from '../../src/index.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { realNodes as servers } from '../support/real-nodes.ts'
import { startRedis } from '../../tools/servers/redis.ts'

// How clients may be configured, and what they share with clients over REST.

const ports = inject('REDIS_PORTS')
const own = { enableOfflineQueue: false, maxRetriesPerRequest: 0 }

const ioredis = (options: RedisOptions = {}, port = ports[0]!): Redis => {
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, ...options })
  onTestFinished(() => redis.disconnect())
  return redis
}

const nodeRedis = async (options: object = {}, port = ports[0]!) => {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, ...options })
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

describe('ioredisNode', () => {
  it('rejects a client that would send commands late, and says how to make one that does not', () => {
    for (const options of [{}, { enableOfflineQueue: false }, { maxRetriesPerRequest: 0 }]) {
      expect(() => ioredisNode(ioredis(options))).toThrow(
        'redis.duplicate({ enableOfflineQueue: false, maxRetriesPerRequest: 0 })',
      )
    }
    expect(ioredisNode(ioredis().duplicate(own)).name).toBe(`redis://127.0.0.1:${ports[0]}/0`)
  })

  it('rejects clients that use other keys or replies, or more than one server', () => {
    expect(() => ioredisNode(ioredis({ ...own, keyPrefix: 'app:' }))).toThrow('`keyPrefix`')
    expect(() => ioredisNode(ioredis({ ...own, stringNumbers: true }))).toThrow('`stringNumbers`')
    const cluster = new Cluster([{ host: '127.0.0.1', port: ports[0]! }], { lazyConnect: true })
    onTestFinished(() => cluster.disconnect())
    expect(() => ioredisNode(cluster)).toThrow('not of a cluster')
    const sentinels = [{ host: '127.0.0.1', port: 1 }]
    const failover = ioredis({ ...own, sentinels, name: 'main' })
    expect(() => ioredisNode(failover)).toThrow('`name`')
    expect(ioredisNode(failover, { name: 'main' }).name).toBe('main')
    for (const wrong of [undefined, null, 'redis', {}]) {
      expect(() => ioredisNode(wrong as never)).toThrow('an ioredis client')
    }
  })

  it('works with lazyConnect, with auto-pipelining and while it is connecting', async () => {
    for (const options of [{}, { lazyConnect: false }, { enableAutoPipelining: true }]) {
      const node = ioredisNode(ioredis({ ...own, ...options }))
      const lock = await new Redlock({ nodes: [node] }).acquire(freshKey())
      expect(await lock.release()).toBe('released')
    }
  })

  it('fails at once when its client is closed', async () => {
    const redis = ioredis({ ...own, lazyConnect: false })
    const redlock = new Redlock({ nodes: [ioredisNode(redis)] })
    await (await redlock.acquire(freshKey())).release()
    redis.disconnect()
    await eventually(() => expect(redis.status).toBe('end'))
    const result = await redlock.tryAcquire(freshKey())
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
    if (!result.ok) expect(result.nodes[0]!.error!.message).toContain('not connected')
  })
})

describe('nodeRedisNode', () => {
  it('rejects what is no client of one server', () => {
    const port = ports[0]!
    const cluster = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] })
    const pool = createClientPool({ url: `redis://127.0.0.1:${port}` })
    for (const wrong of [cluster, pool, undefined, null, {}]) {
      expect(() => nodeRedisNode(wrong as never)).toThrow('a client from createClient')
    }
  })

  it('names no credentials', () => {
    const client = createClient({ url: `redis://me:secret@127.0.0.1:${ports[0]}/0` })
    expect(nodeRedisNode(client).name).toBe(`redis://127.0.0.1:${ports[0]}/0`)
  })

  it('rejects a client that uses other keys, also as a copy of another', () => {
    for (const keyPrefix of ['app:', Buffer.from('app:')]) {
      const client = createClient({ url: `redis://127.0.0.1:${ports[0]}`, keyPrefix })
      for (const prefixed of [client, client.duplicate(), client.withTypeMapping({})]) {
        expect(() => nodeRedisNode(prefixed)).toThrow(
          '`keyPrefix` must be unset (use the `prefix` option',
        )
      }
    }
    expect(() => nodeRedisNode(createClient({ keyPrefix: '' }))).not.toThrow()
  })

  it('works with a client that maps the types of replies', async () => {
    const mapped = (await nodeRedis()).withTypeMapping({
      [RESP_TYPES.BLOB_STRING]: Buffer,
      [RESP_TYPES.NUMBER]: String,
    })
    const commanded = await nodeRedis({
      RESP: 2,
      commandOptions: { typeMapping: { [RESP_TYPES.SIMPLE_STRING]: Buffer } },
    })
    for (const client of [mapped, commanded]) {
      const key = freshKey()
      const lock = await new Redlock({ nodes: [nodeRedisNode(client)] }).acquire(key)
      expect((await holders(overRest(servers), `lock:l:${key}`))[0]).toBe(lock.value)
      expect(await lock.fencingToken()).toBeGreaterThan(0)
      expect(await lock.release()).toBe('released')
    }
  })

  const unconnected = (port: number) => {
    const client = createClient({ url: `redis://127.0.0.1:${port}/0` })
    onTestFinished(() => client.destroy())
    return client
  }

  it.each<[string, (client: ReturnType<typeof unconnected>) => void]>([
    ['nobody has called connect()', () => {}],
    ['connect() is not awaited', (client) => void client.connect()],
  ])('works at its first call if %s', async (_, connect) => {
    const client = unconnected(ports[0]!)
    const redlock = new Redlock({ nodes: [nodeRedisNode(client)] })
    connect(client)
    expect(await (await redlock.acquire(freshKey())).release()).toBe('released')
  })

  it('lets an app await connect() while it connects, and afterwards', async () => {
    const client = unconnected(ports[0]!)
    const redlocks = [1, 2].map(() => new Redlock({ nodes: [nodeRedisNode(client)] }))
    const acquiring = redlocks.map((redlock) => redlock.acquire(freshKey()))
    expect(await client.connect()).toBe(client)
    for (const lock of await Promise.all(acquiring)) expect(await lock.release()).toBe('released')
    expect(await client.connect()).toBe(client)
    expect(await client.ping()).toBe('PONG')
  })

  it('connects again where the client has given up, but not where it was closed', async () => {
    const port = await anyPort()
    const client = createClient({
      url: `redis://127.0.0.1:${port}`,
      socket: { reconnectStrategy: false },
    })
    const redlock = new Redlock({ nodes: [nodeRedisNode(client)], warnings: false })
    const errorOf = async (): Promise<string | undefined> => {
      const result = await redlock.tryAcquire(freshKey())
      if (!result.ok) return result.nodes[0]!.error!.message
      await result.lock.release()
      return undefined
    }
    expect(await errorOf()).toContain('ECONNREFUSED')
    expect(await errorOf()).toContain('ECONNREFUSED')
    const first = await startRedis({ port })
    onTestFinished(() => first.stop())
    expect(await errorOf()).toBeUndefined()
    await first.stop()
    await eventually(async () => expect(await errorOf()).toContain('ECONNREFUSED'))
    const second = await startRedis({ port })
    onTestFinished(() => second.stop())
    expect(await errorOf()).toBeUndefined()
    client.destroy()
    expect(await errorOf()).toContain('the client is closed')
  })

  it('opens one connection for several calls and nodes', async () => {
    const client = unconnected(ports[0]!)
    const redlocks = [1, 2].map(() => new Redlock({ nodes: [nodeRedisNode(client)] }))
    const calls = redlocks.flatMap((redlock) => [
      redlock.acquire(freshKey()),
      redlock.acquire(freshKey()),
    ])
    for (const lock of await Promise.all(calls)) expect(await lock.release()).toBe('released')
  })

  it.each([true, false])(
    'lets a process start while a server rejects (connect(): %s)',
    async (connects) => {
      const names = [ports[0]!, ports[1]!, await anyPort()]
      const clients = names.map(unconnected)
      const nodes = clients.map((client) => nodeRedisNode(client))
      if (connects) for (const client of clients) client.connect().catch(() => {})
      const redlock = new Redlock({ nodes, warnings: false })
      expect(await (await redlock.acquire(freshKey())).release()).toBe('released')
    },
  )

  it('lets a process start while a server accepts connections and says nothing', async () => {
    const silent = createServer().listen(0)
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const nodes = [ports[0]!, ports[1]!, port].map((one) => nodeRedisNode(unconnected(one)))
    const redlock = new Redlock({ nodes, warnings: false })
    expect(await (await redlock.acquire(freshKey())).release()).toBe('released')
  })

  it('says at once why it is not connected, and stays closed once it is closed', async () => {
    const rejected = unconnected(await anyPort())
    const closed = await nodeRedis()
    const neverUsed = unconnected(ports[0]!)
    const cases = [
      [rejected, 'not connected: connect ECONNREFUSED'],
      [closed, 'not connected: the client is closed'],
      [neverUsed, 'not connected: the client is closed'],
    ] as const
    const redlocks = cases.map(([client]) => new Redlock({ nodes: [nodeRedisNode(client)] }))
    void neverUsed.connect().catch(() => {})
    closed.destroy()
    neverUsed.destroy()
    for (const [index, [, message]] of cases.entries()) {
      const result = await redlocks[index]!.tryAcquire(freshKey())
      expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
      if (!result.ok) expect(result.nodes[0]!.error!.message).toContain(message)
    }
  })

  it('takes another name', async () => {
    const client = await nodeRedis()
    expect(nodeRedisNode(client, { name: servers[0]!.url }).name).toBe(servers[0]!.url)
    expect(() => nodeRedisNode(client, { name: '' })).toThrow('`name`')
  })
})

describe('clients over TCP and over REST', () => {
  it('exclude each other, with tokens that rise across them', async () => {
    const worker = new Redlock({ nodes: servers })
    const names = servers.map(({ url }) => ({ name: url }))
    const services = [
      new Redlock({ nodes: ports.map((port, at) => ioredisNode(ioredis(own, port), names[at])) }),
      new Redlock({
        nodes: await Promise.all(
          ports.map(async (port, at) => nodeRedisNode(await nodeRedis({}, port), names[at])),
        ),
      }),
    ]
    const key = freshKey()
    let last = 0
    for (const client of [worker, ...services, worker]) {
      const lock = await client.acquire(key, { wait: 20_000 })
      for (const other of [worker, ...services]) {
        expect(await other.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      }
      const token = await lock.fencingToken()
      expect(token).toBeGreaterThan(last)
      last = token
      expect(await lock.release()).toBe('released')
    }
    const held = await worker.acquire(key, { ttl: 60_000, wait: 20_000 })
    await using adopted = adopt(services[0]!, serialize(held))
    await adopted.extend()
    expect(adopted.held).toBe(true)
  })

  it('gives one winner to a burst of all kinds', async () => {
    const names = servers.map(({ url }) => ({ name: url }))
    const tcp = new Redlock({
      nodes: ports.map((port, at) => ioredisNode(ioredis(own, port), names[at])),
    })
    const rest = new Redlock({ nodes: servers })
    for (let burst = 0; burst < 10; burst++) {
      const key = freshKey()
      const clients = [tcp, rest, tcp, rest, tcp, rest]
      const results = await Promise.all(clients.map((client) => client.tryAcquire(key)))
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      for (const result of results) if (result.ok) await result.lock.release()
    }
  })
})
