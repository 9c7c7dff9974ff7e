import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adopt, fromEnv, Redlock, type SerializedLock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { Secrets } from './known.ts'
import { shown } from './shown.ts'

// An invalid argument may be a secret in the misplaced place, so no validation error shows it.

const secret = 'Zq9-hunter2-Xyz0'
const secrets = new Secrets()
secrets.keep(secret)

const redlock = new Redlock({ nodes: memoryNodes(3) })
const construct = (options: object): unknown => new Redlock({ nodes: memoryNodes(3), ...options })

/** Arguments in which a secret may be by mistake. All of them are rejected. */
const mistakes: Readonly<Record<string, (misplaced: string) => unknown>> = {
  'a url with a name and a password': (misplaced) =>
    construct({ nodes: [{ url: `https://user:${misplaced}@a.example`, token: 't' }] }),
  'a url with a query': (misplaced) =>
    construct({ nodes: [{ url: `https://a.example/?_token=${misplaced}`, token: 't' }] }),
  'a url with a fragment': (misplaced) =>
    construct({ nodes: [{ url: `https://a.example/#${misplaced}`, token: 't' }] }),
  'a url with another scheme': (misplaced) =>
    construct({ nodes: [{ url: `rediss://default:${misplaced}@a.example:6379`, token: 't' }] }),
  'a token with line breaks': (misplaced) =>
    construct({ nodes: [{ url: 'https://a.example', token: `${misplaced}\r\nx: y` }] }),
  'an incomplete environment': (misplaced) => fromEnv({ KV_REST_API_TOKEN: misplaced }),
  'an environment with invalid JSON': (misplaced) =>
    fromEnv({ REDLOCK_NODES: `{"token":"${misplaced}"` }),
  'an environment with JSON that is not a list': (misplaced) =>
    fromEnv({ REDLOCK_NODES: `{"token":"${misplaced}"}` }),
  'a delay': (misplaced) =>
    redlock.tryAcquire('k', { retry: { delay: misplaced as never } } as never),
  'a key': (misplaced) => redlock.tryAcquire({ key: misplaced } as never),
  'a key that is too long': (misplaced) => redlock.tryAcquire(misplaced.repeat(300)),
  metadata: (misplaced) => redlock.tryAcquire('k', { metadata: misplaced.repeat(300) }),
  'a serialized lock without other fields': (misplaced) =>
    adopt(redlock, `{"value":"${misplaced}"}`),
  'a serialized lock that is not JSON': (misplaced) => adopt(redlock, misplaced),
  'a serialized lock without keys': (misplaced) =>
    adopt(redlock, { value: misplaced, ttl: 1_000, expiresAt: Date.now() } as SerializedLock),
  'a serialized lock with an invalid ttl': (misplaced) =>
    adopt(redlock, {
      keys: ['k'],
      value: misplaced,
      ttl: misplaced as never,
      expiresAt: Date.now(),
    }),
}

describe('a validation error shows nothing of', () => {
  it.each(Object.entries(mistakes))('%s', async (_, call) => {
    const error: unknown = await (async () => call(secret))().then(
      () => 'accepted',
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(TypeError)
    expect(secrets.find(shown(error))).toBeUndefined()
  })

  it('any url with a password', () => {
    const part = fc.string({ unit: 'binary-ascii', maxLength: 12 })
    const url = fc
      .tuple(fc.constantFrom('http://', 'https://', 'HTTP://', '//', ''), part, part, part)
      .map(([scheme, user, host, path]) => `${scheme}${user}:${secret}@${host}/${path}`)
    fc.assert(
      fc.property(url, (url) => {
        try {
          construct({ nodes: [{ url, token: 't' }] })
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          expect(secrets.find(shown(error))).toBeUndefined()
          return
        }
        throw new Error(`Accepted: ${url}`)
      }),
      { numRuns: 500 },
    )
  })
})
