import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { Redlock } from '../../src/index.ts'
import { ioredisBackend } from '../../tools/servers/ioredis.ts'
import { startRedis } from '../../tools/servers/redis.ts'
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
