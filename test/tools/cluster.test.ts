import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { check } from '../../src/entries/doctor.ts'
import { idempotent } from '../../src/entries/idempotency.ts'
import { fromEnv, type RestNodeOptions, throttle, withSlots, withWakeUp } from '../../src/index.ts'
import { Hono } from 'hono'
import { type Cluster, describeEngine, startCluster } from '../../tools/servers/cluster.ts'
import { findRedisServer, startRedis } from '../../tools/servers/redis.ts'
import { command, freshKey } from '../support/nodes.ts'
import { isRunning } from './processes.ts'

const open: Cluster[] = []
const cluster = async (options: Parameters<typeof startCluster>[0]): Promise<Cluster> => {
  const started = await startCluster(options)
  open.push(started)
  return started
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()))
  vi.unstubAllEnvs()
})

describe.each([
  ['real servers', 'auto'],
  ['the embedded engine', 'embedded'],
] as const)('a cluster of %s', (_, engine) => {
  it('has independent nodes, each with a token of its own', async () => {
    const { nodes } = await cluster({ count: 3, engine })
    const key = freshKey()
    await Promise.all(nodes.map((node, index) => command(node, 'SET', key, index)))
    const found = await Promise.all(nodes.map((node) => command(node, 'GET', key)))
    expect(found).toEqual(['0', '1', '2'])
    const other: RestNodeOptions = { url: nodes[0]!.url, token: nodes[1]!.token }
    await expect(command(other, 'GET', key)).rejects.toThrow('WRONGPASS')
  })

  it('serves a Redlock from the environment: acquire, reject, extend, throttle, release', async () => {
    const { env } = await cluster({ count: 3, engine })
    const redlock = fromEnv(env)
    const key = freshKey()
    const lock = await redlock.acquire([key, freshKey()])
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    await lock.extend(60_000)
    expect(lock.expiresIn).toBeGreaterThan(50_000)
    expect(await lock.release()).toBe('released')
    expect(await throttle(redlock, key, { window: 60_000 })).toMatchObject({ ok: true })
    expect(await throttle(redlock, key, { window: 60_000 })).toMatchObject({ ok: false })
  })

  it('runs transactions', async () => {
    const { nodes } = await cluster({ count: 1, engine })
    const response = await fetch(`${nodes[0]!.url}/multi-exec`, {
      method: 'POST',
      headers: { authorization: `Bearer ${nodes[0]!.token}` },
      body: '[["SET","a","1"],["INCR","a"],["GET","a"]]',
    })
    expect(await response.json()).toEqual([{ result: 'OK' }, { result: 2 }, { result: '2' }])
  })
})

describe('the embedded engine', () => {
  it('keeps the keys of locks and those of other commands and scripts in one place', async () => {
    const { nodes, env } = await cluster({ count: 1, engine: 'embedded' })
    const [node] = nodes
    const key = freshKey()
    const redlock = fromEnv(env)
    await using lock = await redlock.acquire(key, { ttl: 60_000 })
    const stored = String(await command(node!, 'GET', `lock:l:${key}`))
    expect(stored).toContain(lock.value)
    expect(await command(node!, 'PTTL', `lock:l:${key}`)).toBeGreaterThan(50_000)
    const script = "return redis.call('GET', KEYS[1])"
    expect(await command(node!, 'EVAL', script, 1, `lock:l:${key}`)).toBe(stored)

    await command(node!, 'SET', `lock:l:${key}`, 'another', 'PX', 60_000)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    await command(node!, 'DEL', `lock:l:${key}`)
    expect(await redlock.tryAcquire(key)).toMatchObject({ ok: true })
    expect(await check(redlock)).toMatchObject({
      nodes: [{ server: { info: { role: 'master' } } }],
    })
  })

  it('runs the other scripts of the package', async () => {
    const { env } = await cluster({ count: 3, engine: 'embedded' })
    const redlock = fromEnv(env)
    const slots = withSlots(redlock)
    const key = freshKey()
    const results = [1, 2, 3].map(() => slots.tryAcquire(key, { limit: 2 }))
    const granted = (await Promise.all(results)).filter(({ ok }) => ok)
    expect(granted).toHaveLength(2)

    let runs = 0
    const app = new Hono().post('/', idempotent({ redlock, scope: () => 'user' }), (c) =>
      c.text(`run ${++runs}`),
    )
    const init = { method: 'POST', headers: { 'idempotency-key': freshKey() } }
    const answers = [await app.request('/', init), await app.request('/', init)]
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['run 1', 'run 1'])

    const waking = withWakeUp(redlock)
    const held = await waking.acquire(key)
    const waiting = waking.acquire(key, { wait: 20_000 })
    expect(await held.release()).toBe('released')
    expect((await waiting).held).toBe(true)
  })
})

describe('a cluster', () => {
  it('ends every server, and its connections', async () => {
    const { nodes, close } = await cluster({ count: 2 })
    await Promise.all(nodes.map((node) => command(node, 'PING')))
    const pids = nodes.map(({ redis }) => redis!.pid)
    expect(await Promise.all(pids.map(isRunning))).toEqual([true, true])
    await close()
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false])
    await expect(command(nodes[0]!, 'PING')).rejects.toThrow('fetch failed')
  })

  it('falls back to the embedded engine where no server is installed, and reports that', async () => {
    vi.stubEnv('PATH', '/nonexistent')
    const embedded = await cluster({ count: 1 })
    expect(embedded.engine).toBe('ioredis-mock')
    expect(describeEngine(embedded)).toContain('No redis-server or valkey-server found')
  })

  it('leaves no directory behind', async () => {
    const server = await startRedis()
    expect(existsSync(server.directory)).toBe(true)
    await server.stop()
    expect(existsSync(server.directory)).toBe(false)
  })

  it('rejects a count of nodes that is too large', async () => {
    for (const count of [0, 51, 1e9, 1.5, Number.NaN]) {
      await expect(cluster({ count })).rejects.toThrow('`count` must be from 1 to 50')
    }
  })

  it('finds the server by PATH alone', () => {
    expect(findRedisServer('/nonexistent')).toBeUndefined()
    expect(findRedisServer()?.file).toMatch(/(redis|valkey)-server$/)
  })
})
