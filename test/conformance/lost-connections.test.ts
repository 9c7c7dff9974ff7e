import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import {
  ioredisNode,
  type LockNode,
  nodeRedisNode,
  Redlock,
  type RestNodeOptions,
  throttle,
  ttlOf,
  withSlots,
} from '../../src/index.ts'
import { listening } from '../../tools/cli/listening.ts'
import { randomFrom } from '../../tools/random.ts'
import { type Direction, type Link, makeLink } from '../../verification/chaos/nodes/link.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'

// Connections that a NAT, a VPN or a balancer has forgotten end at their next use. The nodes are well, so
// neither a lock nor its release may fail.

const servers = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]

/** A link to a port of this machine that ends with the test, and its own port. */
const linkTo = async (target: number): Promise<{ link: Link; port: number }> => {
  const link = makeLink(target, randomFrom(1))
  onTestFinished(link.close)
  return { link, port: await listening(link.server) }
}

const setUp = async (count: number, busy: number) => {
  const own = servers.slice(0, count)
  const links = await Promise.all(own.map(({ url }) => linkTo(Number(new URL(url).port))))
  const sent = links.map(() => 0)
  const nodes = links.map(({ port }, index) => ({
    ...servers[index]!,
    url: `http://127.0.0.1:${port}`,
    fetch: ((url, init) => (sent[index]!++, fetch(url, init))) as typeof fetch,
  }))
  // A busy machine answers late, which is no fault of a connection.
  const redlock = new Redlock({ nodes, nodeTimeout: 10_000 })
  // Each of these opens a connection to each node, or two, and loads the script.
  await Promise.all(Array.from({ length: busy }, () => redlock.using(freshKey(), async () => {})))
  /** @returns the requests to one node until one of them comes on a new connection. */
  const killIdle = (loss: Direction): number =>
    1 + Math.max(...links.map(({ link }) => link.doom(loss)))
  /** Runs the work. @returns its result, and the requests in a row to one node. */
  const counting = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const before = [...sent]
    const result = await work
    return [result, Math.max(...sent.map((one, index) => one - before[index]!))]
  }
  const behind = overRest(own)
  const isFree = async (key: string): Promise<boolean> =>
    (await holders(behind, `lock:l:${key}`)).every((holder) => holder === null)
  return { redlock, killIdle, counting, isFree }
}

describe.each(['requests', 'replies'] as const)('%s are lost with their connections', (loss) => {
  it.each([3, 5])(
    'acquires and releases on %i nodes, with a request for each connection that is lost',
    async (count) => {
      const { redlock, killIdle, counting, isFree } = await setUp(count, 1)
      const key = freshKey()
      const toAcquire = killIdle(loss)
      const [lock, acquires] = await counting(redlock.acquire(key, { retry: { attempts: 1 } }))
      expect(acquires).toBeLessThanOrEqual(toAcquire)
      const toRelease = killIdle(loss)
      const [result, releases] = await counting(lock.release())
      expect(result).toBe('released')
      expect(releases).toBeLessThanOrEqual(toRelease)
      await eventually(async () => expect(await isFree(key)).toBe(true))
    },
  )

  it('acquires and releases where several connections to each node are dead', async () => {
    const { redlock, killIdle, isFree } = await setUp(3, 4)
    for (let cycle = 0; cycle < 10; cycle++) {
      const key = freshKey()
      killIdle(loss)
      const lock = await redlock.acquire(key, { retry: { attempts: 1 } })
      killIdle(loss)
      expect(await lock.release()).toBe('released')
      await eventually(async () => expect(await isFree(key)).toBe(true))
    }
  })

  it('extends, inspects and confirms a token', async () => {
    const { redlock, killIdle } = await setUp(3, 1)
    const lock = await redlock.acquire(freshKey())
    killIdle(loss)
    await lock.extend()
    killIdle(loss)
    expect(await ttlOf(lock)).toBeGreaterThan(0)
    killIdle(loss)
    expect(await lock.fencingToken()).toBeGreaterThan(0)
    killIdle(loss)
    expect(await lock.release()).toBe('released')
  })

  it('leaves nothing held after a rejection', async () => {
    const { redlock, killIdle, isFree } = await setUp(3, 1)
    const key = freshKey()
    const holder = await redlock.acquire(key)
    killIdle(loss)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    killIdle(loss)
    expect(await holder.release()).toBe('released')
    await eventually(async () => expect(await isFree(key)).toBe(true))
  })

  it('lets one of many pass a window, and N of a limit', async () => {
    const { redlock, killIdle } = await setUp(3, 3)
    const slots = withSlots(redlock)
    const [window, seat] = [freshKey(), freshKey()]
    const crowd = [1, 2, 3, 4, 5]
    killIdle(loss)
    const passes = await Promise.all(crowd.map(() => throttle(redlock, window, { window: 60_000 })))
    // A burst on a busy machine may leave the window open, which the next call closes.
    if (!passes.some(({ ok }) => ok))
      passes.push(await throttle(redlock, window, { window: 60_000 }))
    expect(passes.filter(({ ok }) => ok)).toHaveLength(1)
    killIdle(loss)
    const seats = await Promise.all(crowd.map(() => slots.tryAcquire(seat, { limit: 2 })))
    // A burst may leave a slot free, which the next call gets.
    for (let calls = 0; calls < 2; calls++) {
      const isFull = seats.filter(({ ok }) => ok).length === 2
      if (!isFull) seats.push(await slots.tryAcquire(seat, { limit: 2 }))
    }
    expect(seats.filter(({ ok }) => ok)).toHaveLength(2)
    expect(await slots.tryAcquire(seat, { limit: 2 })).toMatchObject({ ok: false })
    killIdle(loss)
    for (const one of seats) if (one.ok) expect(await one.lock.release()).toBe('released')
  })
})

it('says that a lock has expired, although its release was lost', async () => {
  const { redlock, killIdle } = await setUp(3, 1)
  const lock = await redlock.acquire(freshKey(), { ttl: 300 })
  await eventually(() => expect(lock.held).toBe(false))
  killIdle('replies')
  expect(await lock.release()).toBe('expired')
})

const ports = inject('REDIS_PORTS').slice(0, 3)

/** A client of each library for each server, and a way to end their connections. */
const tcpClients: Record<string, (port: number) => Promise<[LockNode, () => Promise<unknown>]>> = {
  ioredis: async (port) => {
    const redis = new Redis(port, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    return [ioredisNode(redis), () => redis.client('ID')]
  },
  'node-redis': async (port) => {
    const client = createClient({ socket: { port }, disableOfflineQueue: true })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.destroy())
    return [nodeRedisNode(client), () => client.clientId()]
  },
}

describe.each(Object.keys(tcpClients))('%s', (library) => {
  it('acquires and releases after its connections have ended', async () => {
    const clients = await Promise.all(ports.map((port) => tcpClients[library]!(port)))
    const redlock = new Redlock({ nodes: clients.map(([node]) => node) })
    const key = freshKey()
    /** Ends the connections. The clients do not know it yet. */
    const killAll = async (): Promise<void> => {
      // A client that no quorum needed may still connect.
      const ids = await Promise.all(clients.map(([, id]) => vi.waitFor(id, { timeout: 10_000 })))
      await Promise.all(
        ports.map(async (port, index) => {
          const admin = new Redis(port)
          await admin.client('KILL', 'ID', ids[index] as number)
          admin.disconnect()
        }),
      )
    }
    await redlock.using(freshKey(), async () => {})
    await killAll()
    const lock = await redlock.acquire(key, { retry: { attempts: 1 } })
    await killAll()
    expect(await lock.release()).toBe('released')
  })
})
