import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { durableObjectNodes, type RedlockNamespace } from '../../src/entries/durable-object.ts'
import { type LockNode, Redlock, type RedlockOptions } from '../../src/index.ts'
import type { Command } from '../../src/protocol/command.ts'
import { freshKey } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'
import { objectOf } from './objects.ts'

const namespace = env.REDLOCK as RedlockNamespace

/** Three objects that no other test uses, and a client of them. */
const fresh = (options: Partial<RedlockOptions> = {}) => {
  const nodes = durableObjectNodes(namespace, { name: freshKey() })
  return { nodes, redlock: new Redlock({ nodes, ...options }) }
}
/** Closes a window for a second, on one node. */
const closeWindow = (node: LockNode, key: string): Promise<unknown> => {
  const value = crypto.randomUUID()
  const command: Command = {
    op: 'acquire',
    keys: [`lock:t:${key}`],
    fences: [],
    tombstone: `lock:x:${value}`,
    identity: 'lock:id',
    owner: value,
    value,
    ttl: 1_000,
    fenceTtl: 0,
    minCounter: 0,
  }
  const { signal } = new AbortController()
  return node.run(command, { signal, serverId: `id of ${node.name}` })
}

const objects = (nodes: readonly LockNode[]) => nodes.map((node) => objectOf(namespace, node))
const rowsOf = (nodes: readonly LockNode[]): Promise<string[][]> =>
  Promise.all(objects(nodes).map((object) => object.rows()))
const runAlarms = (nodes: readonly LockNode[]): Promise<boolean[]> =>
  Promise.all(
    nodes.map((node) => runDurableObjectAlarm(namespace.get(namespace.idFromName(node.name)))),
  )

describe('the storage of an object', () => {
  it('is swept by an alarm, until only the identity is left', async () => {
    const { nodes } = fresh()
    // More than one page of a sweep. No call of a client, which may leave a tombstone that lives for a minute.
    for (const node of nodes)
      for (let row = 0; row < 550; row++) await closeWindow(node, freshKey())
    for (const rows of await rowsOf(nodes)) expect(rows.length).toBeGreaterThan(550)
    await eventually(async () => {
      await runAlarms(nodes)
      expect(await rowsOf(nodes)).toEqual(nodes.map(() => ['lock:id']))
    })
    // An empty object has nothing to do, and sleeps.
    expect(await runAlarms(nodes)).toEqual([false, false, false])
  })

  it('keeps what has not expired through a sweep, which then comes again', async () => {
    const { nodes, redlock } = fresh()
    const key = freshKey()
    const lock = await redlock.acquire(key, { ttl: 60_000 })
    expect(await runAlarms(nodes)).toEqual([true, true, true])
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    for (const object of objects(nodes)) {
      expect(await object.alarmAt()).toBeGreaterThan(Date.now())
    }
    await lock.release()
  })

  it('has one alarm at a time, which an eviction does not postpone', async () => {
    const { nodes, redlock } = fresh()
    await (await redlock.acquire(freshKey())).release()
    const due = await Promise.all(objects(nodes).map((object) => object.alarmAt()))
    for (const object of objects(nodes)) await object.evict().catch(() => {})
    await (await redlock.acquire(freshKey())).release()
    await eventually(async () =>
      expect(await Promise.all(objects(nodes).map((object) => object.alarmAt()))).toEqual(due),
    )
  })

  it('keeps locks, counters and identities when the object is evicted', async () => {
    const { nodes, redlock } = fresh()
    const key = freshKey()
    const lock = await redlock.acquire(key, { ttl: 60_000 })
    const token = await lock.fencingToken()
    const identities = await Promise.all(
      objects(nodes).map((object) => object.command('GET', 'lock:id')),
    )
    for (const object of objects(nodes)) await object.evict().catch(() => {})
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    await lock.extend()
    expect(await lock.fencingToken()).toBe(token)
    expect(await lock.release()).toBe('released')
    expect(await (await redlock.acquire(key)).fencingToken()).toBeGreaterThan(token)
    expect(
      await Promise.all(objects(nodes).map((object) => object.command('GET', 'lock:id'))),
    ).toEqual(identities)
  })
})

describe('a script of an object', () => {
  it('writes all of its keys, or none', async () => {
    const { nodes } = fresh()
    const [node] = nodes

    const { signal } = new AbortController()
    // The identity, the lock and its fence are three writes.
    const object = objectOf(namespace, node!)
    const options = { signal, serverId: 'identity' }
    const value = 'v'.repeat(16)
    const command: Command = {
      op: 'acquire',
      keys: ['lock:l:a'],
      fences: ['lock:f:a'],
      tombstone: 'lock:x:v',
      identity: 'lock:id',
      owner: value,
      value,
      ttl: 10_000,
      fenceTtl: 60_000,
      minCounter: 0,
    }
    for (const count of [0, 1, 2]) {
      await object.failAfter(count)
      const failing = node!.run(command, options)
      await expect(failing).rejects.toThrow('the disk is full')
      expect(await object.rows()).toEqual([])
    }
    await object.failAfter(Infinity)
    await node!.run(command, options)
    expect(await object.rows()).toHaveLength(3)
  })

  it('of a version that it does not know is an error of the node', async () => {
    const { nodes } = fresh()

    const { signal } = new AbortController()
    const unknown = nodes[0]!.run({ op: 'later' } as never, { signal, serverId: '' })
    await expect(unknown).rejects.toThrow('The node does not know this command')
    const command = { op: 'check', identity: 'id', id: 'i' } as const
    const request = { version: 'of a later deployment', command, serverId: '' }
    // The promise of an RPC is a thenable of its own, whose rejection must be handled as well.
    const later = async (): Promise<unknown> => await objectOf(namespace, nodes[0]!).run(request)
    await expect(later()).rejects.toThrow('The object has version')
  })

  it('that nobody waits for any more is an error at once', async () => {
    const { nodes } = fresh()

    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const command = { op: 'check', identity: 'id', id: 'i' } as const
    const options = { signal: controller.signal, serverId: '' }
    await expect(nodes[0]!.run(command, options)).rejects.toThrow('enough')
  })
})

describe('durableObjectNodes', () => {
  /** Nodes whose first call each fails with this error. */
  const failingOnce = (error: Error): Redlock => {
    const failed = new Set<string>()
    const failing: RedlockNamespace = {
      idFromName: (name) => ({ name }),
      get: (id) => {
        const { name } = id as { name: string }
        const object = objectOf(namespace, { name })
        return {
          run: async (...call: Parameters<typeof object.run>): Promise<unknown> => {
            if (failed.has(name)) return object.run(...call)
            failed.add(name)
            throw error
          },
        }
      },
    }
    const nodes = durableObjectNodes(failing, { name: freshKey() })
    return new Redlock({ nodes, warnings: false })
  }

  it.each([{ retryable: true }, { durableObjectReset: true }])(
    'sends a call again that a restart has interrupted: %j',
    async (reason) => {
      const redlock = failingOnce(Object.assign(new Error('interrupted'), reason))
      expect(await redlock.tryAcquire(freshKey())).toMatchObject({ ok: true })
    },
  )

  it.each([{ retryable: true, overloaded: true }, {}])(
    'leaves an object alone that is overloaded, or has failed: %j',
    async (reason) => {
      const redlock = failingOnce(Object.assign(new Error('no'), reason))
      expect(await redlock.tryAcquire(freshKey())).toMatchObject({
        ok: false,
        reason: 'unavailable',
        nodes: expect.toSatisfy((nodes: { error?: Error }[]) =>
          nodes.every(({ error }) => error?.message === 'no'),
        ),
      })
    },
  )

  it('names nodes by their objects, and knows where to create them', () => {
    const asked: unknown[] = []
    const recording = {
      idFromName: (name: string) => ({ name }),
      get: (id: object, options?: object) => (asked.push([id, options]), {}),
    }
    const nodes = durableObjectNodes(recording, { locations: ['weur', 'enam'], name: 'lock' })
    expect(nodes.map(({ name }) => name)).toEqual(['lock-1', 'lock-2'])
    const { signal } = new AbortController()
    for (const node of nodes) void node.run({} as never, { signal, serverId: '' }).catch(vi.fn())
    expect(asked).toEqual([
      [{ name: 'lock-1' }, { locationHint: 'weur' }],
      [{ name: 'lock-2' }, { locationHint: 'enam' }],
    ])
  })

  it.each<[string, () => unknown]>([
    ['namespace', () => durableObjectNodes(undefined as never)],
    ['namespace', () => durableObjectNodes({} as never)],
    ['count', () => durableObjectNodes(namespace, { count: 0 })],
    ['count', () => durableObjectNodes(namespace, { count: 26 })],
    ['locations', () => durableObjectNodes(namespace, { count: 3, locations: ['weur'] })],
    ['name', () => durableObjectNodes(namespace, { name: '' })],
    ['nonsense', () => durableObjectNodes(namespace, { nonsense: 1 } as never)],
  ])('names the option that is wrong: %s', (name, call) => {
    expect(call).toThrow(`\`${name}\``)
  })
})
