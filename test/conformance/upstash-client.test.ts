import { text } from 'node:stream/consumers'
import { Redis } from '@upstash/redis'
import { describe, expect, it } from 'vitest'
import { Redlock, upstashNode } from '../../src/index.ts'
import { type Handler, serveHttp } from '../support/http-server.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { realNodes as servers } from '../support/real-nodes.ts'

// Behaviour of the published client that could fake or lose a vote. Each test first shows it on the
// client itself, then that it does no harm to a lock. See its http.ts, upstash/redis-js #778 and #1455.

const clients = (options: object = {}): Redis[] =>
  servers.map(({ url, token }) => new Redis({ url, token, enableTelemetry: false, ...options }))

describe('a client with a static signal', () => {
  it('invents an answer once the signal aborts, and is rejected by upstashNode', async () => {
    const controller = new AbortController()
    const { url, token } = servers[0]!
    const options = { url, token, enableTelemetry: false, enableAutoPipelining: false }
    const redis = new Redis({ ...options, signal: controller.signal })
    controller.abort()
    // No error: a command that never reached a server resolves.
    await expect(redis.set(freshKey(), 'v', { nx: true })).resolves.toBeDefined()
    expect(() => upstashNode(redis)).toThrow('`signal` must be a function or absent')
  })

  it('is accepted with a function that returns a signal', async () => {
    const signal = (): AbortSignal => AbortSignal.timeout(60_000)
    const nodes = clients({ signal }).map((redis) => upstashNode(redis))
    const lock = await new Redlock({ nodes }).acquire(freshKey())
    expect(await lock.release()).toBe('released')
  })
})

describe('auto-pipelining', () => {
  it('sends a lock in one pipeline with other commands, and keeps their replies apart', async () => {
    const redises = clients()
    const redlock = new Redlock({ nodes: redises.map((redis) => upstashNode(redis)) })
    const keys = Array.from({ length: 20 }, freshKey)
    const [textKey, held] = [freshKey(), await redlock.acquire(keys[0]!, { ttl: 60_000 })]
    await redises[0]!.set(textKey, 'text')
    const [results, failures] = await Promise.all([
      Promise.all(keys.map((key) => redlock.tryAcquire(key, { ttl: 60_000 }))),
      // These commands fail in the same pipelines that contain the votes.
      Promise.allSettled(redises.map((redis) => redis.lpush(textKey, 'x'))),
    ])
    expect(failures.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(results.map(({ ok }) => ok)).toEqual(keys.map((_, index) => index > 0))
    for (const result of results) if (result.ok) await result.lock.release()
    expect(await held.release()).toBe('released')
    await Promise.all(redises.map((redis) => redis.del(textKey)))
  })
})

describe('retries', () => {
  let requests = 0
  // Forwards requests to the first server, but drops the first reply by closing the connection.
  const relay: Handler = async (request, response) => {
    const isFirst = ++requests === 1
    const { url, token } = servers[0]!
    const answer = await fetch(url + request.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: await text(request),
    })
    const body = await answer.text()
    if (isFirst) response.destroy()
    else response.writeHead(answer.status).end(body)
  }

  it('make SET NX fail after a lost reply, but do no harm to a lock', async () => {
    const { url } = await serveHttp(relay)
    const options = { url, token: 'any', enableTelemetry: false, responseEncoding: false as const }
    const redis = new Redis({ ...options, retry: { retries: 3, backoff: () => 1 } })
    const key = freshKey()
    // The first request has set the key, so that its own retry finds it taken.
    expect(await redis.set(key, 'mine', { nx: true, px: 1000 })).toBeNull()
    expect(await redis.get(key)).toBe('mine')

    requests = 0
    const lost = freshKey()
    const redlock = new Redlock({ nodes: [upstashNode(redis)] })
    const lock = await redlock.acquire(lost, { retry: { attempts: 1 } })
    expect(requests).toBeGreaterThan(1)
    expect((await holders(overRest(servers), `lock:l:${lost}`))[0]).toBe(lock.value)
    expect(await lock.release()).toBe('released')
  })
})
