import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { inspect, quarantine, Redlock } from '../../src/index.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'

// A primary that fails over to its replica, and back, is the same process with the same run_id. What the
// replica lacked is lost on both, so the node must abstain as after a restart.

// A replica need not wait for others that come.
const settings = { 'repl-diskless-sync-delay': '0' }

const fieldOf = async (redis: Redis, name: string): Promise<string> =>
  new RegExp(`^${name}:(.*)\r$`, 'm').exec(await redis.info('everything'))![1]!

const historyOf = (redis: Redis): Promise<string> => fieldOf(redis, 'master_replid')

const promote = async (redis: Redis): Promise<void> => void (await redis.replicaof('NO', 'ONE'))

const isLinked = (redis: Redis): Promise<void> =>
  eventually(async () => expect(await redis.info('replication')).toMatch('master_link_status:up'))

const follow = async (redis: Redis, primary: Redis): Promise<void> => {
  await redis.replicaof('127.0.0.1', primary.options.port!)
  await isLinked(redis)
}

/** A node that is a primary with a replica, after its quarantine. */
const startPair = async () => {
  await using started = new AsyncDisposableStack()
  const cluster = await startCluster({ count: 1, settings })
  started.defer(() => cluster.close())
  const server = await startRedis({ settings })
  started.defer(() => server.stop())
  const open = (port: number): Redis => {
    const redis = new Redis({ host: '127.0.0.1', port })
    started.defer(() => redis.disconnect())
    return redis
  }
  const primary = open(cluster.nodes[0]!.redis!.port)
  const replica = open(server.port)
  await follow(replica, primary)
  const nodes = cluster.nodes.map(({ url, token }) => ({ url, token, volatile: quarantine() }))
  const redlock = new Redlock({ nodes, ttl: 60_000, retry: { attempts: 1 } })
  const statusOf = async (): Promise<string> =>
    (await inspect(redlock, freshKey())).nodes[0]!.status
  /** Backdates the quarantine, so that it is over. */
  const endQuarantine = async (): Promise<void> => {
    const record = (await primary.get('lock:run'))!
    await primary.set('lock:run', record.replace(/ \d+/, ' 1'))
    expect(await statusOf()).toBe('absent')
  }
  expect(await statusOf()).toBe('quarantined')
  await endQuarantine()
  const ending = started.move()
  const end = (): Promise<void> => ending.disposeAsync()
  return { primary, replica, redlock, statusOf, endQuarantine, [Symbol.asyncDispose]: end }
}

describe('a volatile node that fails over to its replica, and back', () => {
  it('grants no lock again that the replica lacked', async () => {
    await using pair = await startPair()
    const { primary, replica, redlock } = pair
    const run = await fieldOf(primary, 'run_id')
    const key = freshKey()
    // The replica takes over when it has lost the connection, and so lacks the lock.
    await promote(replica)
    const lock = await redlock.acquire(key)
    expect(await primary.get(`lock:l:${key}`)).toBe(lock.value)
    await follow(primary, replica)
    await promote(primary)
    expect(await fieldOf(primary, 'run_id')).toBe(run)
    expect(await primary.get(`lock:l:${key}`)).toBe(null)
    const again = await redlock.tryAcquire(key)
    expect([lock.held, again.ok]).toEqual([true, false])
    expect(again).toMatchObject({ reason: 'unavailable', nodes: [{ status: 'quarantined' }] })
    await pair.endQuarantine()
  })

  it('abstains also if FAILOVER did both', async () => {
    await using pair = await startPair()
    const { primary, replica, statusOf } = pair
    await primary.call('FAILOVER')
    await eventually(async () => expect(await fieldOf(replica, 'role')).toBe('master'))
    await isLinked(primary)
    await replica.call('FAILOVER')
    await eventually(async () => expect(await fieldOf(primary, 'role')).toBe('master'))
    expect(await statusOf()).toBe('quarantined')
    await pair.endQuarantine()
  })

  it('abstains although an earlier version wrote the record, once a request has shown its history', async () => {
    await using pair = await startPair()
    const { primary, replica, statusOf } = pair
    const record = await primary.get('lock:run')
    await primary.set('lock:run', record!.split(' ', 2).join(' '))
    expect(await statusOf()).toBe('absent')
    expect(await primary.get('lock:run')).toBe(record)
    await follow(primary, replica)
    await promote(primary)
    expect(await statusOf()).toBe('quarantined')
  })
})

describe('a volatile primary that stays one', () => {
  it('votes while its replica loses its connection, and comes back', async () => {
    await using pair = await startPair()
    const { primary, replica, statusOf } = pair
    const history = await historyOf(primary)
    await primary.client('KILL', 'TYPE', 'replica')
    expect(await statusOf()).toBe('absent')
    await eventually(async () => expect(await fieldOf(primary, 'connected_slaves')).toBe('1'))
    await isLinked(replica)
    expect([await historyOf(primary), await statusOf()]).toEqual([history, 'absent'])
  })

  it('votes when it begins another history, since its replica has gone and another one comes', async () => {
    await using pair = await startPair()
    const { primary, replica, statusOf } = pair
    const histories = new Set([await historyOf(primary)])
    await primary.config('SET', 'repl-backlog-ttl', '1')
    await promote(replica)
    await eventually(async () => expect(histories).not.toContain(await historyOf(primary)))
    histories.add(await historyOf(primary))
    expect(await statusOf()).toBe('absent')
    await primary.config('SET', 'repl-backlog-ttl', '3600')
    await follow(replica, primary)
    histories.add(await historyOf(primary))
    expect(histories.size).toBe(3)
    expect(await statusOf()).toBe('absent')
    // A promotion is noticed nevertheless.
    await promote(replica)
    await follow(primary, replica)
    await promote(primary)
    expect(await statusOf()).toBe('quarantined')
  })
})
