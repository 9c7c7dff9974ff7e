import type { Acquire } from '../../src/protocol/command.ts'
import { inspect as print } from 'node:util'
import { Redis } from '@upstash/redis'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { gateway } from '../../src/entries/gateway.ts'
import { memoryGuard, redisGuard, sqlGuard, StaleTokenError } from '../../src/entries/guards.ts'
import { lock as lockMiddleware, throttle } from '../../src/entries/hono.ts'
import {
  adopt,
  fromEnv,
  inspect,
  type LockNode,
  Redlock,
  type RedlockOptions,
  restNode,
  serialize,
  throttle as throttleBy,
  ttlOf,
} from '../../src/index.ts'
import { upstashNode } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { withSecrets } from '../../tools/with-secrets.ts'
import { Secrets } from './known.ts'
import { echoNodes } from './echo-nodes.ts'
import { shown } from './shown.ts'

// Every object that a user may log. watch.ts checks the objects that the other suites create.

const token = 'AXyzAAIncDE1Mzg0-Zq9'
const value = 'c956e4ba-648f-4e11-8d7e-0d8f3c1a2b6f'
const secrets = new Secrets()
secrets.keep(token)
secrets.add(value, 8)

/** The part of a secret that the value shows, JSON included; undefined if none. */
const shownBy = (thing: unknown): string | undefined => secrets.find(shown(thing))

const remembered = (): string => {
  const made = crypto.randomUUID()
  secrets.add(made, 8)
  return made
}
const redlockOf = (nodes: RedlockOptions['nodes'], options: Partial<RedlockOptions> = {}) =>
  withSecrets(new Redlock({ nodes, retry: { attempts: 1 }, ...options }), remembered)
const reason = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'it did not fail',
    (error: unknown) => error,
  )

describe('no secret is shown by', () => {
  const redis = new Redis({ url: 'http://u.example', token, enableTelemetry: false })
  const redlock = redlockOf(memoryNodes(3))
  const locked = { redlock, key: 'k' }
  const throttled = { ...locked, window: 1_000 }
  const app = new Hono().use(lockMiddleware({ redlock, key: 'k' }), throttle(throttled))
  const send = async (): Promise<string> => 'OK'
  const transaction = async (): Promise<string[]> => ['OK']

  it.each<[string, unknown]>([
    ['a Redlock', redlockOf([{ url: 'http://a.example', token }])],
    [
      'a Redlock from the environment',
      fromEnv({ KV_REST_API_URL: 'http://a.example', KV_REST_API_TOKEN: token }),
    ],
    ['a REST node', restNode({ url: 'http://a.example', token })],
    ['an Upstash node', upstashNode(redis)],
    ['a memory node', memoryNode()],
    ['a gateway', gateway({ token, send, transaction })],
    ['an app with the middleware', app],
    ['the middleware', [lockMiddleware(locked), throttle(throttled)]],
    ['a function', [withLock(locked, async () => ''), withThrottle(throttled, async () => '')]],
    ['guards', [memoryGuard(), sqlGuard({ dialect: 'sqlite' }), redisGuard({ eval: send })]],
    ['a stale token', new StaleTokenError('report', 7, 8)],
  ])('%s', (_, thing) => {
    expect(shownBy(thing)).toBeUndefined()
    // A copy contains exactly the public properties.
    if (typeof thing === 'object') expect(shownBy({ ...thing })).toBeUndefined()
  })

  it('a lock, except by its value and by `serialize`', async () => {
    const lock = await redlockOf(memoryNodes(3)).acquire('k', { metadata: 'worker 3' })
    for (const handle of [lock, lock.reenter()]) {
      expect(secrets.find(shown(handle, false))).toBeUndefined()
      expect(secrets.find(print({ ok: true, lock: handle }, { depth: Infinity }))).toBeUndefined()
      expect(secrets.find(shown(handle.signal))).toBeUndefined()
      expect(secrets.find(shown(structuredClone(handle)))).toBeUndefined()
    }
    expect(secrets.find(lock.value)).toBeDefined()
    expect(JSON.stringify(lock)).toBe('{"keys":["k"],"metadata":"worker 3"}')
    expect(serialize(lock).value).toBe(lock.value)
    await lock.release()
    expect(shownBy(await reason(lock.extend()))).toBeUndefined()
    expect(shownBy(lock.signal.reason)).toBeUndefined()
  })

  it('rejections, inspections, events and errors of nodes that echo their requests', async () => {
    const events: unknown[] = []
    const redlock = redlockOf(echoNodes(token), { onEvent: (event) => void events.push(event) })
    const adopted = () =>
      adopt(redlock, { keys: ['k'], value, ttl: 5_000, expiresAt: Date.now() + 5_000 })
    const things = [
      await redlock.tryAcquire('k'),
      await throttleBy(redlock, 'k', { window: 1_000 }),
      await inspect(redlock, 'k'),
      await reason(redlock.acquire('k')),
      await reason(adopted().extend()),
      await reason(adopted().fencingToken()),
      await reason(ttlOf(adopted())),
      await adopted().release(),
    ]
    expect(things.map(shownBy).filter(Boolean)).toEqual([])
    expect(events.length).toBeGreaterThan(things.length)
    expect(events.map(shownBy).filter(Boolean)).toEqual([])
    // The messages of the nodes are there, masked.
    expect(print(events, { depth: Infinity })).toContain('Bearer ***')
  })

  it('the errors of an Upstash client or of a custom node', async () => {
    const redis = {
      client: { baseUrl: 'http://u.example', headers: { authorization: `Bearer ${token}` } },
      evalsha: async (_: string, keys: string[], args: string[]) => {
        throw new Error(`ERR Bearer ${token}, command was: ${JSON.stringify([keys, args])}`)
      },
      eval: async () => 'OK',
    }
    // Like ioredis, which attaches the command to the error.
    const custom: LockNode = {
      name: 'custom',
      run: async (command) => {
        const { owner } = command as Acquire
        const cause = new Error(owner)
        throw Object.assign(new Error(`ERR ${owner}`, { cause }), { command })
      },
    }
    const events: unknown[] = []
    const nodes = [upstashNode(redis), custom, memoryNode()]
    const result = await redlockOf(nodes, {
      onEvent: (event) => void events.push(event),
    }).tryAcquire('k')
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
    expect(events.length).toBeGreaterThan(1)
    expect([result, ...events].map(shownBy).filter(Boolean)).toEqual([])
  })
})
