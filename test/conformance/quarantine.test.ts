import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  adopt,
  type Clock,
  inspect,
  quarantine,
  Redlock,
  restNode,
  throttle,
} from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'
import { reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'

// A server that has lost its data would grant a held lock again. A volatile node does not vote until
// every lock that it may have granted has expired.

describe('volatile nodes', () => {
  const setUp = (
    volatile: boolean,
  ): { redlock: Redlock; nodes: MemoryNode[]; advance: (time: number) => void } => {
    let now = 1_800_000_000_000
    const clock: Clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const nodes = memoryNodes(3, { now: () => now, volatile: volatile && quarantine() })
    return {
      redlock: new Redlock({ nodes, advanced: { clock, random: () => 0 }, ttl: 20_000 }),
      nodes,
      advance: (time) => void (now += time),
    }
  }

  it('abstain at first use and after a restart, for the longest ttl and its drift', async () => {
    const { redlock, nodes, advance } = setUp(true)
    expect(await redlock.tryAcquire('k')).toMatchObject({
      ok: false,
      reason: 'unavailable',
      retryAfter: 20_200,
      nodes: nodes.map(({ name }) => ({ node: name, status: 'quarantined', ttl: 20_200 })),
    })
    expect(await inspect(redlock, 'k')).toMatchObject({ state: 'unavailable' })
    advance(20_199)
    expect(await redlock.tryAcquire('k')).toMatchObject({ ok: false, retryAfter: 1 })
    advance(1)
    const lock = await redlock.acquire('k')
    const token = await lock.fencingToken()
    nodes[1]!.restart()
    expect(await redlock.tryAcquire('k')).toMatchObject({
      reason: 'locked',
      nodes: [{ status: 'locked' }, { status: 'quarantined' }, { status: 'locked' }],
    })
    // The other two nodes keep the lock alive while the restarted one abstains.
    await lock.extend()
    advance(15_000)
    await lock.extend()
    advance(5_300)
    await lock.extend()
    expect(nodes[1]!.entries.get('lock:l:k')?.value).toBe(lock.value)
    expect(await lock.fencingToken()).toBe(token)
    expect(await lock.release()).toBe('released')
  })

  it('abstain after a restart with a part of their data, as a promoted replica has', async () => {
    const { redlock, nodes, advance } = setUp(true)
    await redlock.tryAcquire('other')
    advance(30_000)
    const before = nodes.map(({ entries }) => [...entries])
    await redlock.acquire('k')
    nodes.slice(1).forEach((node, index) => node.restart(before[index + 1]))
    expect(await redlock.tryAcquire('k')).toMatchObject({ ok: false, reason: 'unavailable' })
  })

  it('would grant the lock twice if they were not marked as volatile', async () => {
    const { redlock, nodes } = setUp(false)
    const lock = await redlock.acquire('k')
    const token = await lock.fencingToken()
    nodes.slice(1).forEach((node) => node.restart())
    const second = await redlock.acquire('k')
    expect([lock.held, second.held]).toEqual([true, true])
    // Both locks were acquired in the same millisecond, so that even their tokens are equal.
    expect(await second.fencingToken()).toBe(token)
  })

  it('require every ttl to be at most maxTtl', async () => {
    const { redlock } = setUp(true)
    const limit = 'must be an integer of milliseconds, up to `maxTtl`, from 25 to 20000; got 20001'
    await expect(redlock.acquire('k', { ttl: 20_001 })).rejects.toThrow(`\`ttl\` ${limit}`)
    await expect(throttle(redlock, 'k', { window: 20_001 })).rejects.toThrow(`\`window\` ${limit}`)
    const nodes = memoryNodes(3, { volatile: quarantine() })
    expect(() => new Redlock({ nodes, ttl: 20_001, maxTtl: 20_000 })).toThrow(`\`ttl\` ${limit}`)
    const lock = { keys: ['k'], value: 'v'.repeat(16), ttl: 20_001, expiresAt: Date.now() }
    expect(() => adopt(redlock, lock)).toThrow(`\`ttl\` ${limit}`)
  })
})

describe('a real server that is killed and restarts without data', () => {
  let cluster: Cluster
  let restarted: RedisServer | undefined
  beforeAll(async () => {
    cluster = await startCluster({ count: 3 })
  })
  afterAll(async () => {
    await cluster.close()
    await restarted?.stop()
  })

  it('abstains to the end of a quarantine whose time has 15 digits', async () => {
    const nodes = cluster.nodes.map(({ url, token }) => ({
      url,
      token,
      volatile: quarantine(),
    }))
    const redlock = new Redlock({ nodes, prefix: 'longest:', maxTtl: 2 ** 47 })
    for (let call = 0; call < 2; call++) {
      const rejection = await redlock.tryAcquire(freshKey())
      expect(rejection).toMatchObject({
        reason: 'unavailable',
        retryAfter: expect.toSatisfy((time) => time > 2 ** 47),
      })
    }
  })

  it('grants nothing until its former grants have expired', async () => {
    expect(cluster.engine).not.toBe('ioredis-mock')
    const nodes = cluster.nodes.map(({ url, token }) => ({
      url,
      token,
      volatile: quarantine(),
    }))
    const redlock = new Redlock({ nodes, ttl: 5_000 })
    // The servers are new to the client, and so in quarantine. Backdate it, so that it is over.
    expect(await redlock.tryAcquire(freshKey())).toMatchObject({ reason: 'unavailable' })
    for (const { redis } of cluster.nodes) {
      const client = new Redis({ host: '127.0.0.1', port: redis!.port })
      const note = (await client.get('lock:run'))!
      expect(note).toMatch(/^run_id:\w+ \d+ master_replid:\w+$/)
      await client.set('lock:run', note.replace(/ \d+/, ' 1'))
      client.disconnect()
    }

    // The lock is on the first two servers, of which the second is killed. Without quarantine, that one
    // and the third, which never had the lock, would be a second quorum.
    const key = freshKey()
    const [one, two, three] = nodes
    const lock = await new Redlock({
      nodes: [one!, two!, withFault(three!, reject)],
      ttl: 5_000,
    }).acquire(key)
    const token = await lock.fencingToken()
    const { redis } = cluster.nodes[1]!
    process.kill(redis!.pid, 'SIGKILL')
    await eventually(async () =>
      expect(await redlock.tryAcquire(freshKey()).then(({ ok }) => ok)).toBe(true),
    )
    restarted = await startRedis({ port: redis!.port })
    const withoutQuarantine = new Redlock({
      nodes: nodes.map(({ url, token }) => restNode({ url, token })),
      ttl: 500,
      retry: { attempts: 1 },
    })
    await vi.waitFor(
      async () => expect(await withoutQuarantine.acquire(key)).toMatchObject({ held: true }),
      { timeout: 20_000 },
    )
    await eventually(async () => expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false }))
    await eventually(async () =>
      expect(await inspect(redlock, key)).toMatchObject({
        nodes: expect.toSatisfy((reports: { status: string }[]) =>
          reports.some(({ status }) => status === 'quarantined'),
        ),
      }),
    )

    // After the quarantine it votes again, and the token still rises.
    const next = await redlock.acquire(key, { wait: 30_000 })
    expect(lock.held).toBe(false)
    expect(await next.fencingToken()).toBeGreaterThan(token)
    await next.release()
  }, 60_000)
})
