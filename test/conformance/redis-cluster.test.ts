import { anyPort } from '../../tools/servers/free-port.ts'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  inspect,
  isQuorumError,
  quarantine,
  Redlock,
  type RestNodeOptions,
  throttle,
} from '../../src/index.ts'
import { gateway } from '../../src/entries/gateway.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'
import { serve } from '../../tools/servers/serve.ts'
import { freshKey } from '../support/nodes.ts'

// A Redis Cluster runs a script only if all of its keys are in one hash slot.

const token = crypto.randomUUID()
const ports: number[] = []
const stops: (() => Promise<void>)[] = []

/** A server in cluster mode that serves all slots, behind a gateway. */
const startNode = async (): Promise<RestNodeOptions> => {
  const busPort = await anyPort()
  const redis: RedisServer = await startRedis({
    settings: { 'cluster-enabled': 'yes', 'cluster-port': `${busPort}` },
  })
  stops.push(redis.stop)
  ports.push(redis.port)
  const client = new Redis({ host: '127.0.0.1', port: redis.port, enableReadyCheck: false })
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await vi.waitFor(
    async () => expect(await client.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'),
    { timeout: 20_000 },
  )
  client.disconnect()
  const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  const server = await serve(gateway({ token, ...backend }).fetch)
  stops.push(
    () => backend.close(),
    () => server.close(0),
  )
  return { url: `http://127.0.0.1:${server.port}`, token }
}

describe('a Redis Cluster', () => {
  let nodes: RestNodeOptions[]
  beforeAll(async () => {
    nodes = await Promise.all([startNode(), startNode(), startNode()])
  }, 60_000)
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop()
  })

  it('serves locks, tokens and throttles where the prefix is a hash tag', async () => {
    const redlock = new Redlock({ nodes, prefix: '{lock}:' })
    const keys = [freshKey(), freshKey(), freshKey()]
    const lock = await redlock.acquire(keys, { ttl: 60_000, metadata: 'worker 3' })
    await lock.extend()
    const token = await lock.fencingToken()
    expect(await inspect(redlock, keys[1]!)).toMatchObject({
      state: 'locked',
      metadata: 'worker 3',
    })
    expect(await redlock.tryAcquire(keys[2]!)).toMatchObject({ ok: false, reason: 'locked' })
    expect(await lock.release()).toBe('released')
    const next = await redlock.acquire(keys)
    expect(await next.fencingToken()).toBeGreaterThan(token)
    await next.release()
    const window = freshKey()
    expect(await throttle(redlock, window, { window: 60_000 })).toMatchObject({ ok: true })
    expect(await throttle(redlock, window, { window: 60_000 })).toMatchObject({ ok: false })
  })

  it('serves volatile nodes after their quarantine', async () => {
    const redlock = new Redlock({
      nodes: nodes.map((node) => ({ ...node, volatile: quarantine() })),
      prefix: '{lock}:',
      ttl: 1000,
    })
    const { nodes: reports } = await inspect(redlock, freshKey())
    expect(reports.map(({ status }) => status)).toEqual(Array(3).fill('quarantined'))
    // The quarantine is backdated, so that it is over.
    for (const port of ports) {
      const client = new Redis({ host: '127.0.0.1', port })
      const [run] = (await client.get('{lock}:run'))!.split(' ')
      await client.set('{lock}:run', `${run} 1`)
      client.disconnect()
    }
    const lock = await redlock.acquire(freshKey())
    expect(await lock.release()).toBe('released')
  })

  it('rejects any other prefix, in its own words', async () => {
    const redlock = new Redlock({ nodes, retry: { attempts: 1 } })
    const error = await redlock.acquire(freshKey()).catch((reason: unknown) => reason)
    expect(isQuorumError(error)).toBe(true)
    expect(String(error)).toContain('CROSSSLOT')
  })
})
