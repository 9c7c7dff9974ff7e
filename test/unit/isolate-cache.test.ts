import { describe, expect, it } from 'vitest'
import { type LockNode, Redlock, restNode, throttle } from '../../src/index.ts'
import { type Client, createClient } from '../../src/core/process/client.ts'
import { closedRejection, noteClosed } from '../../src/client/throttle.ts'
import { type IsolateCache, isolateCacheFor } from '../../src/core/process/isolate-cache.ts'
import { resolveOptions } from '../../src/core/options/resolve-options.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { scoped } from '../support/nodes.ts'

const node = (name: string, token = 't'): ReturnType<typeof restNode> =>
  restNode({ url: `https://${name}.example`, token })

const cacheFor = (nodes: readonly LockNode[], prefix: string): IsolateCache =>
  isolateCacheFor(nodes, resolveOptions({ nodes, prefix }).keyspace)

describe('the isolate cache', () => {
  it('is shared by equal nodes, tokens and prefixes', () => {
    expect(cacheFor([node('a'), node('b')], 'p:')).toBe(cacheFor([node('a'), node('b')], 'p:'))
    const cache = cacheFor([node('a')], 'p:')
    expect(cacheFor([node('a')], 'q:')).not.toBe(cache)
    expect(cacheFor([node('a', 'u')], 'p:')).not.toBe(cache)
    expect(cacheFor([node('b')], 'p:')).not.toBe(cache)
    const custom = { url: 'https://a.example', token: 't' }
    const one = restNode({ ...custom, fetch: async () => new Response() })
    const other = restNode({ ...custom, fetch: async () => new Response() })
    expect(cacheFor([one], 'p:')).not.toBe(cache)
    expect(cacheFor([one], 'p:')).toBe(cacheFor([one], 'p:'))
    expect(cacheFor([other], 'p:')).not.toBe(cacheFor([one], 'p:'))
  })

  it('is empty for nodes without a scope', () => {
    const nodes = [memoryNode()]
    expect(cacheFor(nodes, 'p:')).not.toBe(cacheFor(nodes, 'p:'))
    expect(cacheFor(nodes, 'p:').number).toBe(0)
  })

  it('contains no secret, nor anything derived from one', () => {
    const made = node('a', 'a-very-secret-token')
    expect(JSON.stringify(made)).not.toContain('secret')
    expect(made.scope).toMatch(/^\d+$/)
    // Two tokens with the same short hash.
    expect(node('a', 'tenant-Aa').scope).not.toBe(node('a', 'tenant-BB').scope)
  })

  it('remembers which pairs of nodes were reported to be one server', async () => {
    const server = memoryNode()
    const events: string[] = []
    const nodes = ['one', 'two'].map((name) => scoped({ ...server, name }, `twin ${name}`))
    for (let clients = 0; clients < 3; clients++) {
      const redlock = new Redlock({ nodes, onEvent: ({ type }) => void events.push(type) })
      expect(await redlock.tryAcquire('key')).toMatchObject({ ok: false, reason: 'unavailable' })
    }
    expect(events.filter((type) => type === 'duplicate-node')).toHaveLength(1)
  })

  it('trusts a window that another client holds for at most a second', async () => {
    let now = 0
    const nodes = memoryNodes(3, { now: () => now })
    const known = nodes.map((node) => scoped(node, `of ${node.name}`))
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const other = new Redlock({ nodes, advanced: { clock } })
    const redlock = new Redlock({ nodes: known, advanced: { clock } })
    const window = 60_000
    const controller = new AbortController()
    // The other call is aborted while it passes, so that its window is free again.
    const passing = throttle(other, 'key', { window, signal: controller.signal })
    const [seen] = await Promise.all([
      throttle(redlock, 'key', { window }),
      passing.then(
        () => '',
        () => '',
      ),
    ])
    controller.abort()
    expect(seen.ok).toBe(false)
    for (const { entries } of nodes) entries.delete('lock:t:key')
    now += 1001
    expect((await throttle(redlock, 'key', { window })).ok).toBe(true)
    // It asks again after each second.
    await throttle(other, 'old', { window })
    expect((await throttle(redlock, 'old', { window })).ok).toBe(false)
    for (const { entries } of nodes) entries.delete('lock:t:old')
    now += 900
    expect(await throttle(redlock, 'old', { window })).toMatchObject({ ok: false, nodes: [] })
    now += 101
    expect((await throttle(redlock, 'old', { window })).ok).toBe(true)
    // Its own pass is certain until the window ends.
    for (const { entries } of nodes) entries.delete('lock:t:old')
    now += 58_000
    expect(await throttle(redlock, 'old', { window })).toMatchObject({ ok: false, nodes: [] })
    now += 2000
    expect((await throttle(redlock, 'old', { window })).ok).toBe(true)
    // A call with another window length cannot know when the window was closed.
    await throttle(other, 'young', { window: 6000 })
    expect((await throttle(redlock, 'young', { window })).ok).toBe(false)
    for (const { entries } of nodes) entries.delete('lock:t:young')
    now += 1001
    expect((await throttle(redlock, 'young', { window })).ok).toBe(true)
  })

  it('does not take nodes that have not answered for one server', async () => {
    const servers = memoryNodes(5)
    const nodes = servers.map((node, index) => scoped(node, `silent ${index}`))
    for (const node of servers.slice(0, 2)) node.fail()
    for (let times = 0; times < 4; times++) {
      expect(await (await new Redlock({ nodes }).acquire('key')).release()).toBe('released')
    }
  })

  it('drops its oldest windows first, of whatever nodes, and keeps them by their bytes', () => {
    const clients = ['capped', 'other', 'fetched'].map((name) =>
      createClient({
        nodes: [
          restNode({
            url: `https://${name}.example`,
            token: 't',
            ...(name === 'fetched' && { fetch: async () => new Response() }),
          }),
        ],
      }),
    )
    const nameOf = (name: string, { cache }: Client): string => `${cache.number} ${name}`
    const [client, ...others] = clients
    const has = (name: string): boolean =>
      closedRejection(client!, [name], nameOf(name, client!), undefined) !== undefined
    const remember = (name: string, of = client!): void =>
      noteClosed(of, nameOf(name, of), () => 0, 1_000, true)
    const fill = (count: number, of = client!): void => {
      for (let index = 0; index < count; index++) remember(`${index}`.padStart(500, '0'), of)
    }
    remember('kept')
    remember('dropped')
    fill(1_300)
    expect([has('kept'), has('dropped')]).toEqual([true, true])
    remember('kept')
    for (const other of others) fill(600, other)
    expect([has('kept'), has('dropped')]).toEqual([true, false])
    for (let index = 0; index < 100; index++) remember(`${index}`.padStart(2 ** 16, '0'))
    expect(has('kept')).toBe(false)
  })

  it('drops the sets of nodes that were not used for the longest time', () => {
    const cache = cacheFor([node('first')], 'p:')
    for (let index = 0; index < 5_000; index++) {
      cacheFor([node(`n${index}`)], 'p:')
      if (index % 2 === 0) expect(cacheFor([node('first')], 'p:')).toBe(cache)
    }
    for (let index = 0; index < 2_000; index++) cacheFor([node(`n${index}`)], 'p:')
    expect(cacheFor([node('first')], 'p:')).not.toBe(cache)
  })
})

describe('a throttle window that only the first node has reported', () => {
  it('is requested again after a second, since its holder may have failed to get a quorum', async () => {
    let now = 1_800_000_000_000
    const nodes = ['a', 'b', 'c'].map((name) => memoryNode({ name, now: () => now }))
    const known = nodes.map((node) => scoped(node, `scope of ${node.name}`))
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const redlock = new Redlock({ nodes: known, strategy: 'frugal', advanced: { clock } })
    const window = 3_600_000
    const ask = async (): Promise<boolean> => (await throttle(redlock, 'key', { window })).ok
    nodes[0]!.entries.set('lock:t:key', { value: 'somebody else', expiresAt: now + window })
    expect(await ask()).toBe(false)
    now += 1_200
    expect(await ask()).toBe(false)
    // The holder got no quorum, and has released the node.
    nodes[0]!.entries.clear()
    now += 1_200
    expect(await ask()).toBe(true)
  })
})
