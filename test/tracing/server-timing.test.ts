import { Hono } from 'hono'
import { describe, expect, inject, it } from 'vitest'
import { withLock, withThrottle } from '../../src/fetch/index.ts'
import { lock, throttle } from '../../src/hono/index.ts'
import { Redlock, type RestNodeOptions } from '../../src/index.ts'
import { refuse, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'

const nodes = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
const redlock = new Redlock({ nodes })
const serverTiming = true

const timingOf = ({ headers }: Response): string | null =>
  headers.get('server-timing')?.replaceAll(/dur=\d+\.\d/g, 'dur=MS') ?? null

describe('serverTiming', () => {
  it('reports on a lock that was acquired or refused', async () => {
    const key = freshKey()
    const app = new Hono().get('/', lock({ redlock, key, serverTiming }), (c) => c.text('done'))
    const response = await app.request('/')
    expect(timingOf(response)).toBe('lock;desc="acquired";dur=MS')
    expect(await response.text()).toBe('done')
    await using held = await redlock.acquire(key, { wait: 5_000 })
    const refused = await app.request('/')
    expect([refused.status, timingOf(refused)]).toEqual([409, 'lock;desc="locked";dur=MS'])
    expect(refused.headers.get('retry-after')).not.toBeNull()
    expect(held.held).toBe(true)
  })

  it('reports on a throttle, beside the RateLimit headers', async () => {
    const options = { redlock, key: freshKey(), window: 60_000, serverTiming }
    const app = new Hono().get('/', throttle(options), (c) => c.body(null, 204))
    const passed = await app.request('/')
    expect([passed.status, timingOf(passed)]).toEqual([204, 'throttle;desc="passed";dur=MS'])
    expect(passed.headers.get('ratelimit')).not.toBeNull()
    const refused = await app.request('/')
    expect([refused.status, timingOf(refused)]).toEqual([429, 'throttle;desc="throttled";dur=MS'])
  })

  it('adds to what the handler and a nested lock report', async () => {
    const app = new Hono().get(
      '/',
      lock({ redlock, key: freshKey(), serverTiming }),
      lock({ redlock, key: freshKey(), serverTiming }),
      (c) => c.text('done', 200, { 'server-timing': 'db;dur=5', 'x-own': 'kept' }),
    )
    const response = await app.request('/')
    const own = 'lock;desc="acquired";dur=MS'
    expect(timingOf(response)).toBe(`db;dur=5, ${own}, ${own}`)
    expect(response.headers.get('x-own')).toBe('kept')
    expect(response.headers.get('content-type')).toMatch('text/plain')
  })

  it('reports on an outage, and on a request that passes in spite of it', async () => {
    const down = new Redlock({
      nodes: nodes.map((node) => withFault(node, refuse)),
      warnings: false,
    })
    for (const failOpen of [false, true]) {
      const options = { redlock: down, key: freshKey(), serverTiming, failOpen }
      const app = new Hono().get('/', lock(options), (c) => c.text('done'))
      const response = await app.request('/')
      expect(response.status).toBe(failOpen ? 200 : 503)
      expect(timingOf(response)).toBe('lock;desc="unavailable";dur=MS')
    }
  })

  it('reports from functions, and leaves the objects of Lambda alone', async () => {
    const request = new Request('https://example.com')
    const options = { redlock, key: () => freshKey(), serverTiming }
    const locked = await withLock(options, () => new Response('done'))(request)
    expect(timingOf(locked)).toBe('lock;desc="acquired";dur=MS')
    const throttled = withThrottle({ ...options, window: 1_000 }, () => new Response('done'))
    expect(timingOf(await throttled(request))).toBe('throttle;desc="passed";dur=MS')
    const answer = { statusCode: 200, body: 'done' }
    expect(await withLock(options, (_event: object) => answer)({ headers: {} })).toBe(answer)
  })

  it('leaves a response alone that a handler returns for many requests', async () => {
    const shared = new Response(null, { status: 204, headers: { 'server-timing': 'db;dur=5' } })
    const options = { redlock, key: () => freshKey(), serverTiming }
    const throttled = { ...options, window: 1_000 }
    const app = new Hono()
      .get('/', lock(options), () => shared)
      .get('/throttled', throttle(throttled), () => shared)
      .get('/plain', () => shared)
    const request = new Request('https://example.com')
    for (let call = 0; call < 2; call++) {
      const own = 'db;dur=5, lock;desc="acquired";dur=MS'
      expect(timingOf(await app.request('/'))).toBe(own)
      expect(timingOf(await withLock(options, () => shared)(request))).toBe(own)
      const passed = 'db;dur=5, throttle;desc="passed";dur=MS'
      expect(timingOf(await app.request('/throttled'))).toBe(passed)
      expect(timingOf(await withThrottle(throttled, () => shared)(request))).toBe(passed)
    }
    const plain = await app.request('/plain')
    expect([...plain.headers]).toEqual([['server-timing', 'db;dur=5']])
  })

  it('reports nothing unless it is wanted', async () => {
    const app = new Hono().get('/', lock({ redlock, key: freshKey() }), (c) => c.text('done'))
    expect(timingOf(await app.request('/'))).toBeNull()
  })

  it('must be true or false', () => {
    const options = { redlock, key: 'a', serverTiming: 'yes' as unknown as boolean }
    expect(() => lock(options)).toThrow('serverTiming')
    expect(() => throttle({ ...options, window: 1_000 })).toThrow('serverTiming')
  })
})
