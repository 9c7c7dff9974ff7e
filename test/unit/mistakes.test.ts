import { Redis } from '@upstash/redis'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { lock } from '../../src/entries/hono.ts'
import {
  fromEnv,
  type LockedError,
  lockKey,
  Redlock,
  restNode,
  throttle,
  upstashNode,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'

// The mistakes of a first hour with the package. Each message names the option, what was given, and
// the fix where there is one.

const nodes = memoryNodes(3)
const redlock = new Redlock({ nodes })
const node = { url: 'https://a.example', token: 't' }
const redis = new Redis({ url: 'https://a.example', token: 't', enableTelemetry: false })
const make = (options?: unknown): Redlock => new Redlock(options as { nodes: [] })
const construct = (...args: unknown[]): unknown => Reflect.construct(Redlock, args)
const notAlone =
  '`options` must be { nodes: [...], ... }, with each client wrapped by ioredisNode(), nodeRedisNode() or upstashNode(); '
const alone = `${notAlone}got a second argument`
const inFile = "; in a file, write it on one line in single quotes: REDLOCK_NODES='[...]'"
const send = async (): Promise<string> => 'OK'

/** The message of the error that a call throws, or rejects with. */
const messageOf = async (call: () => unknown): Promise<string> => {
  try {
    await call()
  } catch (error) {
    expect(['TypeError', 'RangeError']).toContain((error as Error).name)
    return (error as Error).message
  }
  throw new Error('It was accepted')
}

/** Calls with arguments that do not compile. */
const untyped = (target: unknown): Record<string, (...args: unknown[]) => unknown> =>
  target as Record<string, (...args: unknown[]) => unknown>

/** Calls a method with arguments that do not compile. */
const call = (name: string, ...args: unknown[]): unknown => untyped(redlock)[name]!(...args)

describe('the message about', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a url without its token',
      () => fromEnv({ UPSTASH_REDIS_REST_URL: 'https://a.example' }),
      '`UPSTASH_REDIS_REST_TOKEN` must be set, as UPSTASH_REDIS_REST_URL is; got undefined',
    ],
    [
      'a gap in the numbers of variables',
      () =>
        fromEnv(
          Object.fromEntries(
            [1, 3, 4].flatMap((number) => [
              [`UPSTASH_REDIS_REST_URL_${number}`, 'https://a.example'],
              [`UPSTASH_REDIS_REST_TOKEN_${number}`, 't'],
            ]),
          ),
        ),
      '`UPSTASH_REDIS_REST_URL_2` must be set, as UPSTASH_REDIS_REST_URL_3 is; got undefined',
    ],
    [
      'a node of REDLOCK_NODES that is null',
      () => fromEnv({ REDLOCK_NODES: '[null]' }),
      '`nodes[0]` must be an object { url, token }; got null',
    ],
    [
      'a client as a node',
      () => make({ nodes: [node, redis] }),
      '`nodes[1]` must be a node from upstashNode, ioredisNode or nodeRedisNode; got a client',
    ],
    [
      'a node of an older version',
      () => make({ nodes: [{ name: 'a', eval: send } as never] }),
      '`run` must be a function; got undefined',
    ],
    [
      'a node that is wrapped as in an older version',
      () => make({ nodes: [{ ...restNode(node), eval: send } as never] }),
      '`eval` must be replaced with `run`, which receives commands; got function',
    ],
    [
      'a volatile node of an older version',
      () => make({ nodes: [{ ...node, volatile: true }] }),
      '`volatile` must be quarantine() in code; got boolean',
    ],
    [
      'a volatile node of REDLOCK_NODES',
      () => fromEnv({ REDLOCK_NODES: JSON.stringify([{ ...node, volatile: true }]) }),
      '`volatile` must be quarantine() in code; got boolean',
    ],
    [
      'the same url twice',
      () => make({ nodes: [node, { ...node, url: 'https://b.example' }, { ...node, token: 'u' }] }),
      '`nodes` must be independent servers; got https://a.example twice',
    ],
    [
      'a maxTtl below the default ttl',
      () => make({ nodes, maxTtl: 1_000 }),
      '`ttl` must be an integer of milliseconds, up to `maxTtl`, from 25 to 1000; got 10000',
    ],
    [
      'options after the routine',
      () => call('using', 'k', () => {}, { ttl: 500 }),
      '`options` must be the second argument; got function',
    ],
    [
      'REDLOCK_NODES that is not JSON',
      () => fromEnv({ REDLOCK_NODES: '[{url: "x"}]' }),
      `\`REDLOCK_NODES\` must be an array of { url, token } in JSON; got text that breaks at character 3 of 12${inFile}`,
    ],
    [
      'REDLOCK_NODES that a quote has ended',
      () => fromEnv({ REDLOCK_NODES: '[{' }),
      `\`REDLOCK_NODES\` must be an array of { url, token } in JSON; got text that breaks off after character 2${inFile}`,
    ],
    [
      'REDLOCK_NODES with a comma too many',
      () => fromEnv({ REDLOCK_NODES: `[${JSON.stringify(node)},]` }),
      `\`REDLOCK_NODES\` must be an array of { url, token } in JSON; got text that has a wrong comma, colon or bracket${inFile}`,
    ],
    ['clients and options', () => construct([redis, redis], { retryCount: 3 }), alone],
    ['clients and no options', () => construct([redis]), `${notAlone}got clients`],
    ['one client', () => construct(redis), `${notAlone}got clients`],
    ['one client and options', () => construct(redis, {}), alone],
    ['two objects of options', () => construct({ nodes }, { ttl: 500 }), alone],
    ['nodes and options', () => construct([node, node], { ttl: 500 }), alone],
    ['a second argument that is no object', () => construct({ nodes }, 500), alone],
    ['a second argument that is null', () => construct({ nodes }, null), alone],
    ['a client of another Redlock', () => construct(undefined, redlock), alone],
    [
      'REDLOCK_NODES without a node',
      () => fromEnv({ REDLOCK_NODES: '[]' }),
      '`REDLOCK_NODES` must be an array of { url, token } in JSON; got an empty array',
    ],
    [
      'an empty REDLOCK_NODES',
      () => fromEnv({ REDLOCK_NODES: '' }),
      '`REDLOCK_NODES` must be an array of { url, token } in JSON, or UPSTASH_REDIS_REST_URL set; on Workers pass `env` or `c.env`, on Node nothing; got an empty string',
    ],
    [
      'an ioredis client in upstashNode',
      () => upstashNode({ evalsha: send, eval: send, sendCommand: send } as never),
      '`redis` must be an @upstash/redis client; for others use ioredisNode or nodeRedisNode; got object',
    ],
    [
      'an empty part of a key',
      () => lockKey('submit', ''),
      '`part 2 of lockKey` must be text, a finite number, bigint or boolean; got an empty string',
    ],
    ['no options', () => make(), '`options` must be an object in Redlock; got undefined'],
    [
      'a throttle without options',
      () => throttle(redlock, 'k', undefined as never),
      '`options` must be an object in throttle(); got undefined',
    ],
    [
      'a key that is empty',
      () => redlock.acquire(''),
      '`key` must be 1 to 4096 well-formed characters; got an empty string',
    ],
    [
      'variables that are no object',
      () => fromEnv('REDLOCK_NODES' as never),
      '`env` must be an object of variables; got string',
    ],
  ])('%s', async (_, call, message) => {
    expect(await messageOf(call)).toBe(`${message} (ERL01)`)
  })
})

describe('an unknown option is rejected', () => {
  it.each(['keyspace', 'emit', 'cache'])('even %s, which a client has inside', async (name) => {
    const act = (): unknown => make({ nodes, ttl: -1, [name]: '' })
    expect(await messageOf(act)).toContain(`Unknown option \`${name}\` of Redlock: `)
  })

  it('unless it is undefined, which counts as left out', async () => {
    const options = { ttl: undefined, tll: undefined }
    const result = await redlock.tryAcquire('k', options)
    expect(result.ok && (await result.lock.release())).toBe('released')
  })
})

describe('the functions of the middleware', () => {
  /** The error of a request to a route with this middleware. */
  const errorOf = async (options: unknown): Promise<unknown> => {
    let thrown: unknown
    const app = new Hono()
      .get('/', lock(options as Parameters<typeof lock>[0]), (c) => c.text('passed'))
      .onError((error, c) => {
        thrown = error
        return c.text('', 500)
      })
    const response = await app.request('/')
    return thrown ?? (await response.text())
  }

  it.each([undefined, '', 7, [], ['']])('must not return %j as key', async (key) => {
    const error = await errorOf({ redlock, key: () => key })
    expect(error).toMatchObject({ message: expect.stringContaining('`key` must be ') })
  })

  it('let a request pass without a lock only if key returns null', async () => {
    expect(await errorOf({ redlock, key: () => null })).toBe('passed')
  })

  it.each([undefined, null, {}, memoryNodes(1), 'redlock'])(
    'must return a Redlock: %j',
    async (client) => {
      const error = await errorOf({ redlock: () => client, key: 'k' })
      const message = expect.stringContaining(
        '`redlock` must be a Redlock, or a function that returns one',
      )
      expect(error).toMatchObject({ name: 'TypeError', message })
    },
  )
})

describe('a LockedError says', () => {
  const errorOf = async (client: Redlock = redlock): Promise<LockedError> =>
    client.acquire('invoice:7', { wait: 0 }).then(
      () => expect.unreachable(),
      (error: LockedError) => error,
    )

  it('who holds the lock, and for how long', async () => {
    const held = await redlock.acquire('invoice:7', { metadata: 'worker 3, since 10:42' })
    const error = await errorOf()
    const { holder, metadata, retryAfter } = error
    expect(metadata).toBe('worker 3, since 10:42')
    expect(holder).toBe(held.id)
    expect(retryAfter).toBeGreaterThan(5_000)
    expect(error.message).toBe(
      `The lock on ["invoice:7"] is held by "worker 3, since 10:42" (${holder}); it can be free after ${Math.ceil(retryAfter)} ms (ERL02)`,
    )
    await held.release()
  })

  it('no more than the beginning of long metadata', async () => {
    const held = await redlock.acquire('invoice:7', { metadata: 'x'.repeat(4_000) })
    const { message, metadata } = await errorOf()
    expect(message.length).toBeLessThan(400)
    expect(metadata).toHaveLength(4_000)
    await held.release()
  })

  it('that nobody is known to hold it where the vote is split', async () => {
    const rivals = await Promise.all(
      nodes.slice(0, 2).map((one) => new Redlock({ nodes: [one] }).acquire('invoice:7')),
    )
    const error = await errorOf()
    expect(error).toMatchObject({ holder: undefined, metadata: undefined })
    expect(error.message).toContain('was requested by several clients simultaneously')
    await Promise.all(rivals.map((one) => one.release()))
  })
})
