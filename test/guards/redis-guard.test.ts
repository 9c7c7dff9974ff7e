import { Redis as Upstash } from '@upstash/redis'
import type { RedisEval } from '../../src/guards/redis-guard.ts'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isStaleTokenError, redisGuard } from '../../src/entries/guards.ts'
import type { RestNodeOptions } from '../../src/index.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'
import { freshKey } from '../support/nodes.ts'

let server: RedisServer
let client: Redis
beforeAll(async () => {
  server = await startRedis()
  client = new Redis({ host: '127.0.0.1', port: server.port })
})
afterAll(async () => {
  client.disconnect()
  await server.stop()
})

const overIoredis: RedisEval = {
  eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
}
const [node] = JSON.parse(inject('REDLOCK_NODES')) as [RestNodeOptions]
const overRest: RedisEval = new Upstash({ url: node.url, token: node.token })

describe.each([
  ['ioredis', overIoredis],
  ['@upstash/redis', overRest],
])('redisGuard over %s', (_, redis) => {
  const guard = redisGuard(redis)

  it('runs the commands of the latest holder only', async () => {
    const key = freshKey()
    const run = (token: number, ...command: string[]): Promise<unknown> =>
      guard.run(key, token, command, [`data-${key}`])
    expect(await run(7, 'SET', `data-${key}`, 'one')).toBe('OK')
    expect(await run(9, 'APPEND', `data-${key}`, ' two')).toBe(7)
    const error = await run(8, 'SET', `data-${key}`, 'stale').catch((reason: unknown) => reason)
    expect(isStaleTokenError(error)).toBe(true)
    expect(error).toMatchObject({ resource: key, token: 8, highest: 9 })
    expect(await run(9, 'GET', `data-${key}`)).toBe('one two')
    expect(await run(9, 'GET', `none-${key}`)).toBeNull()
  })

  it('is exact up to the largest safe integer, and never forgets the token', async () => {
    const key = freshKey()
    const most = Number.MAX_SAFE_INTEGER
    await guard.advance(key, most - 1)
    await expect(guard.advance(key, most - 2)).rejects.toMatchObject({ highest: most - 1 })
    await guard.advance(key, most)
    await expect(guard.advance(key, most - 1)).rejects.toMatchObject({ highest: most })
    expect(await guard.run(key, most, ['PTTL', `fence:${key}`])).toBe(-1)
  })

  it('stores the token of a command that fails, and rethrows its error', async () => {
    const key = freshKey()
    await guard.run(key, 1, ['SET', `data-${key}`, 'text'])
    const error = await guard
      .run(key, 5, ['INCR', `data-${key}`])
      .catch((reason: unknown) => reason)
    expect(isStaleTokenError(error)).toBe(false)
    expect(String(error)).toContain('not an integer')
    await expect(guard.advance(key, 4)).rejects.toMatchObject({ highest: 5 })
  })

  it('accepts exactly the tokens that are not below the highest so far', async () => {
    const steps = fc.array(fc.nat(6), { maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const key = freshKey()
        let highest = 0
        for (const token of sequence) {
          const isStale = await guard.advance(key, token).then(() => false, isStaleTokenError)
          expect(isStale).toBe(token < highest)
          highest = Math.max(highest, token)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('keeps the tokens of different prefixes apart', async () => {
    const key = freshKey()
    await guard.advance(key, 9)
    await redisGuard(redis, { prefix: 'other:' }).advance(key, 1)
    await expect(guard.advance(key, 1)).rejects.toThrow('lower than 9')
  })
})
