import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { startGateway, token } from './support.ts'

// What the lock needs of Redis, as docs/security.md has it.
const least =
  '~lock:* +@connection +eval +evalsha +time +info +get +set +setnx +del +exists +pttl'.split(' ')

test('the lock gets by with an ACL user who may do nothing else', async () => {
  const redis = await startRedis()
  const admin = new Redis({ host: '127.0.0.1', port: redis.port })
  await admin.call('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', ...least)
  const backend = ioredisBackend({ host: '127.0.0.1', port: redis.port })
  const server = await startGateway({ ...backend, allow: ['EVAL', 'EVALSHA'] })
  try {
    const node = { url: server.url, token, volatile: true }
    const redlock = new Redlock({ nodes: [node] })
    // It is new, and abstains: so the script has run to its end.
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
