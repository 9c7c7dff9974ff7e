import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { check } from '../../src/entries/doctor.ts'
import { Redlock } from '../../src/index.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'
import { freshKey } from '../support/nodes.ts'
import { kinds } from './kinds.ts'

// Servers that fail behind clients over TCP, which would like to send their commands later.

// Servers are started and ended, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })
const patience = { timeout: 20_000, interval: 20 }

const start = async (): Promise<RedisServer> => {
  const server = await startRedis()
  onTestFinished(server.stop)
  return server
}

/** Runs one command over a connection of its own. */
const ask = async (port: number, ...words: [string, ...string[]]): Promise<unknown> => {
  const redis = new Redis({ host: '127.0.0.1', port })
  try {
    return await redis.call(...words)
  } finally {
    redis.disconnect()
  }
}

describe.each(kinds)('$name', ({ connect }) => {
  const connected = async (port: number, password?: string) => {
    const tcp = connect(port, password)
    onTestFinished(tcp.close)
    await vi.waitFor(() => expect(tcp.isReady()).toBe(true), patience)
    return tcp
  }
  const attempt = async (redlock: Redlock, key: string = freshKey()): Promise<string> => {
    const result = await redlock.tryAcquire(key)
    if (!result.ok) return result.nodes[0]!.error!.message
    return result.lock.release()
  }

  it('works with a server whose id has digits alone', async () => {
    const server = await start()
    const { node } = await connected(server.port)
    await ask(server.port, 'SET', 'lock:id', '0123456789')
    expect(await attempt(new Redlock({ nodes: [node] }))).toBe('released')
    const twins = new Redlock({
      nodes: [node, { ...node, name: 'twin' }, { ...node, name: 'third' }],
      warnings: false,
    })
    const result = await twins.tryAcquire(freshKey())
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
  })

  it('works again after a restart, which makes the server forget the script', async () => {
    const server = await start()
    const { node } = await connected(server.port)
    const redlock = new Redlock({ nodes: [node] })
    expect(await attempt(redlock)).toBe('released')
    await server.crash()
    await server.restart()
    await vi.waitFor(async () => expect(await attempt(redlock)).toBe('released'), patience)
  })

  it('fails at once while the server is down, and sends nothing when it is back', async () => {
    const server = await start()
    const { node, isReady } = await connected(server.port)
    const redlock = new Redlock({ nodes: [node], nodeTimeout: 30_000, ttl: 100_000 })
    await server.crash()
    await vi.waitFor(
      async () => expect(await attempt(redlock)).toMatch(/^not connected: .*ECONNREFUSED/),
      patience,
    )
    await Promise.all([attempt(redlock), attempt(redlock)])
    await server.restart()
    await vi.waitFor(() => expect(isReady()).toBe(true), patience)
    // A client would send commands that it had kept before this one, over the same connection.
    expect(await check(redlock)).toMatchObject({
      nodes: [{ server: { info: { role: 'master' } } }],
    })
    const keys = (await ask(server.port, 'KEYS', 'lock:l:key-*')) as string[]
    expect(keys).toEqual([])
  })

  it('reports a node that hangs in time, and does not repeat its request after a restart', async () => {
    const server = await start()
    const { node, isReady } = await connected(server.port)
    const redlock = new Redlock({ nodes: [node], nodeTimeout: 200 })
    expect(await attempt(redlock)).toBe('released')
    process.kill(server.pid, 'SIGSTOP')
    const hung = freshKey()
    expect(await attempt(redlock, hung)).toBe('no answer in 200 ms')
    // The acquire is under way when the connection breaks.
    await server.crash()
    await server.restart()
    await vi.waitFor(() => expect(isReady()).toBe(true), patience)
    const patient = new Redlock({ nodes: [node] })
    const later = freshKey()
    await vi.waitFor(async () => expect(await attempt(patient, later)).toBe('released'), patience)
    // Each acquire that the server has executed leaves a fence. A release may arrive late, and does no harm.
    expect(await ask(server.port, 'EXISTS', `lock:f:${later}`)).toBe(1)
    expect(await ask(server.port, 'EXISTS', `lock:f:${hung}`)).toBe(0)
  })

  it('reports a wrong password without showing it', async () => {
    const server = await start()
    await ask(server.port, 'CONFIG', 'SET', 'requirepass', 'the-right-one')
    const right = await connected(server.port, 'the-right-one')
    expect(await attempt(new Redlock({ nodes: [right.node] }))).toBe('released')
    const wrong = connect(server.port, 'the-wrong-one')
    onTestFinished(wrong.close)
    const redlock = new Redlock({ nodes: [wrong.node] })
    await vi.waitFor(async () => {
      const message = await attempt(redlock)
      expect(message).toContain('WRONGPASS')
      expect(message + wrong.node.name).not.toMatch(/-one|127.+@/)
    }, patience)
  })

  it('waits for the first connection, within nodeTimeout', async () => {
    const server = await start()
    const { node, close } = connect(server.port)
    onTestFinished(close)
    expect(await attempt(new Redlock({ nodes: [node] }))).toBe('released')
  })
})
