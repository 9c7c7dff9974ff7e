import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  adopt,
  inspect,
  isQuorumError,
  type LockNode,
  quarantine,
  Redlock,
  type RestNodeOptions,
  serialize,
  throttle,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'

// Servers that reject INFO or TIME to scripts. A volatile node needs both to notice a restart, and to
// know when it may vote again.

const nodesOf = ({ nodes }: Cluster, volatile?: LockNode['volatile']): RestNodeOptions[] =>
  nodes.map(({ url, token }) => ({ url, token, ...(volatile && { volatile }) }))

const withRedis = async <T>(port: number, use: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis({ host: '127.0.0.1', port, enableReadyCheck: false })
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}

const errorsOf = (nodes: readonly { readonly error?: Error | undefined }[]): string[] =>
  nodes.map(({ error }) => error?.message ?? '')

describe('servers that report no run_id', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ count: 3, settings: { 'rename-command': ['INFO', ''] } })
  })
  afterAll(() => cluster.close())

  it('do not vote as volatile nodes, and the error names the remedy', async () => {
    const key = freshKey()
    const redlock = new Redlock({ nodes: nodesOf(cluster, quarantine()), retry: { attempts: 1 } })
    const error = await redlock.acquire(key).catch((reason: unknown) => reason)
    expect(isQuorumError(error)).toBe(true)
    expect(String(error)).toContain('INFO reports no run_id')
    expect(String(error)).toContain('quarantine({ withoutRunId: true })')
    expect(await inspect(redlock, key)).toMatchObject({ state: 'unavailable' })
    expect(await throttle(redlock, key, { window: 1000 })).toMatchObject({ reason: 'unavailable' })
    expect(await holders(overRest(nodesOf(cluster)), `lock:l:${key}`)).toEqual([null, null, null])
  })

  it('release what they hold', async () => {
    const key = freshKey()
    const lock = await new Redlock({ nodes: nodesOf(cluster) }).acquire(key)
    const redlock = new Redlock({ nodes: nodesOf(cluster, quarantine()) })
    expect(await adopt(redlock, serialize(lock)).release()).toBe('released')
    expect(await new Redlock({ nodes: nodesOf(cluster) }).tryAcquire(key)).toMatchObject({
      ok: true,
    })
  })

  it('vote where that is accepted, after a quarantine, and forget a lock after a restart with older data', async () => {
    const options = { ttl: 60_000, retry: { attempts: 1 } }
    const accepting = new Redlock({
      nodes: nodesOf(cluster, quarantine({ withoutRunId: true })),
      ...options,
    })
    const first = await inspect(accepting, freshKey())
    expect(errorsOf(first.nodes)).toEqual(Array(3).fill('quarantined'))
    const ports = cluster.nodes.map(({ redis }) => redis!.port)
    // The quarantine is backdated, so that it is over, and the server saves that.
    for (const port of ports) {
      await withRedis(port, async (redis) => {
        expect(await redis.get('lock:run')).toMatch(/^- \d+$/)
        await redis.set('lock:run', '- 1')
        await redis.save()
      })
    }
    const key = freshKey()
    const lock = await accepting.acquire(key)
    await eventually(async () =>
      expect(await holders(overRest(nodesOf(cluster)), `lock:l:${key}`)).not.toContain(null),
    )
    for (const { redis } of cluster.nodes.slice(1)) {
      await redis!.crash()
      await redis!.restart()
    }
    // A volatile node that needs the run id would not have voted in the first place.
    const strict = new Redlock({ nodes: nodesOf(cluster, quarantine()), ...options })
    await eventually(async () => {
      const { nodes } = await inspect(strict, key)
      expect(errorsOf(nodes)).toEqual(Array(3).fill(expect.stringContaining('run_id')))
    })
    expect(await strict.tryAcquire(key)).toMatchObject({ ok: false, reason: 'unavailable' })
    // This is what accepting it risks: two hold one lock.
    const second = await accepting.acquire(key)
    expect([lock.held, second.held]).toEqual([true, true])
  })
})

describe('servers that reject TIME to scripts', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ count: 3, settings: { 'rename-command': ['TIME', ''] } })
  })
  afterAll(() => cluster.close())

  it('do not vote as volatile nodes, since they cannot tell when a quarantine ends', async () => {
    const redlock = new Redlock({ nodes: nodesOf(cluster, quarantine()), retry: { attempts: 1 } })
    // An inspection sends no time at all, and an extension sends a counter.
    const inspection = await inspect(redlock, freshKey())
    expect(inspection.state).toBe('unavailable')
    expect(errorsOf(inspection.nodes)).toEqual(Array(3).fill(expect.stringContaining('TIME')))
    const error = await redlock.acquire(freshKey()).catch((reason: unknown) => reason)
    expect(isQuorumError(error)).toBe(true)
    expect(String(error)).toContain('scripts must be allowed to run TIME')
  })

  it('serve locks and tokens as nodes that are not volatile', async () => {
    const redlock = new Redlock({ nodes: nodesOf(cluster) })
    const key = freshKey()
    const lock = await redlock.acquire(key)
    await lock.extend()
    const token = await lock.fencingToken()
    expect(await inspect(redlock, key)).toMatchObject({ state: 'locked' })
    expect(await lock.release()).toBe('released')
    const next = await redlock.acquire(key)
    expect(await next.fencingToken()).toBeGreaterThan(token)
    await next.release()
  })
})

describe('nodes in memory', () => {
  it('reject the same commands', async () => {
    const attempt = async (
      rejects: 'TIME' | 'INFO',
      volatile: LockNode['volatile'],
    ): Promise<string[]> => {
      const redlock = new Redlock({ nodes: memoryNodes(3, { rejects: [rejects], volatile }) })
      expect(await redlock.tryAcquire('key')).toMatchObject({ ok: !volatile })
      return errorsOf((await inspect(redlock, 'key')).nodes)
    }
    for (const rejects of ['TIME', 'INFO'] as const) {
      const text = rejects === 'TIME' ? 'TIME' : 'run_id'
      expect(await attempt(rejects, quarantine())).toEqual(
        Array(3).fill(expect.stringContaining(text)),
      )
      expect(await attempt(rejects, false)).toEqual(['', '', ''])
    }
    expect(await attempt('INFO', quarantine({ withoutRunId: true }))).toEqual(
      Array(3).fill('quarantined'),
    )
    expect(await attempt('TIME', quarantine({ withoutRunId: true }))).toEqual(
      Array(3).fill(expect.stringContaining('TIME')),
    )
  })
})
