import { describe, expect, it } from 'vitest'
import {
  fenceHeaders,
  type Guard,
  isStaleTokenError,
  memoryGuard,
  redisGuard,
  sqlGuard,
  StaleTokenError,
} from '../../src/entries/guards.ts'

/** A value of the wrong type, which JavaScript callers can pass: it must be rejected at once. */
const wrong = (value: unknown): never => value as never

describe('guards', () => {
  const never = (): Promise<never> => Promise.reject(new Error('used its store'))
  const guards: [string, Guard][] = [
    ['memory', memoryGuard()],
    ['Redis', redisGuard({ eval: never })],
    [
      'SQL',
      { advance: (resource, token) => sqlGuard({ dialect: 'sqlite' }).run(resource, token, never) },
    ],
  ]

  it.each(guards)(
    '%s: rejects a wrong token or resource before it uses its store',
    async (_, guard) => {
      for (const token of [-1, 1.5, Number.NaN, Infinity, 2 ** 53, '7', undefined, null, 7n]) {
        await expect(guard.advance('k', wrong(token))).rejects.toThrow('`token` must be ')
      }
      for (const resource of ['', undefined, 7, 'x'.repeat(513), 'a\0b', '\uD800']) {
        await expect(guard.advance(wrong(resource), 7)).rejects.toThrow('`resource` must be ')
      }
    },
  )

  it.each([
    ['redis.eval', () => redisGuard(wrong({}))],
    ['redis.eval', () => redisGuard(wrong(undefined))],
    ['token', () => fenceHeaders(1.5)],
    ['token', () => fenceHeaders(wrong('7'))],
  ])('rejects a wrong %s', (option, make) => {
    expect(make).toThrow(`\`${option}\` must be `)
  })

  it('reject a wrong command or wrong keys', async () => {
    const guard = redisGuard({ eval: never })
    await expect(guard.run('k', 7, wrong('SET a b'))).rejects.toThrow('`command`')
    await expect(guard.run('k', 7, [wrong({})])).rejects.toThrow('`command`')
    await expect(guard.run('k', 7, ['GET', 'a'], wrong('a'))).rejects.toThrow('`keys`')
  })

  it('reject a reply that is not from the script of the guard', async () => {
    const guard = redisGuard({ eval: async () => ['OK'] })
    await expect(guard.advance('k', 7)).rejects.toThrow('the guard script returned no valid reply')
  })

  it('in memory: accept tokens that are not lower than the highest', async () => {
    const guard = memoryGuard()
    await guard.advance('k', 7)
    await guard.advance('k', 7)
    await guard.advance('other', 1)
    await guard.advance('k', 9)
    await expect(guard.advance('k', 8)).rejects.toMatchObject({ token: 8, highest: 9 })
  })

  it('errors are recognized by their brand, also as copies', () => {
    const error = new StaleTokenError('k', 7, 9)
    expect(isStaleTokenError(error)).toBe(true)
    expect(isStaleTokenError(JSON.parse(JSON.stringify(error)))).toBe(true)
    expect(isStaleTokenError(new Error('other'))).toBe(false)
    expect(error.message).toBe('The fencing token 7 for "k" is lower than 9 (ERL07)')
  })
})
