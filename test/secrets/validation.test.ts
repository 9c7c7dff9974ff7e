import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gateway } from '../../src/gateway/index.ts'
import { Redlock, type RedlockOptions, type SerializedLock } from '../../src/index.ts'
import { memoryNodes } from '../../src/testing/index.ts'
import { Secrets } from './known.ts'
import { shown } from './shown.ts'

// What is refused at the door may be a secret in the wrong place: no error shows any of it.

const secret = 'Zq9-hunter2-Xyz0'
const secrets = new Secrets()
secrets.keep(secret)

const redlock = new Redlock({ nodes: memoryNodes(3) })
const construct = (options: object): unknown => new Redlock({ nodes: memoryNodes(3), ...options })

/** Places where a secret may be by mistake. All of them refuse it. */
const doors: Readonly<Record<string, (wrong: string) => unknown>> = {
  'a url with a name and a password': (wrong) =>
    construct({ nodes: [{ url: `https://user:${wrong}@a.example`, token: 't' }] }),
  'a url with a query': (wrong) =>
    construct({ nodes: [{ url: `https://a.example/?_token=${wrong}`, token: 't' }] }),
  'a url with a fragment': (wrong) =>
    construct({ nodes: [{ url: `https://a.example/#${wrong}`, token: 't' }] }),
  'a url of another kind': (wrong) =>
    construct({ nodes: [{ url: `rediss://default:${wrong}@a.example:6379`, token: 't' }] }),
  'a url that is the token': (wrong) => construct({ nodes: [{ url: wrong, token: wrong }] }),
  'a token with a blank': (wrong) =>
    construct({ nodes: [{ url: 'https://a.example', token: `${wrong} ` }] }),
  'a token of lines': (wrong) =>
    construct({ nodes: [{ url: 'https://a.example', token: `${wrong}\r\nx: y` }] }),
  'a list of texts for nodes': (wrong) => construct({ nodes: [wrong] }),
  'a text for nodes': (wrong) => construct({ nodes: wrong as never }),
  'a fetch that is none': (wrong) =>
    construct({ nodes: [{ url: 'https://a.example', token: 't', fetch: wrong }] }),
  'the environment, half': (wrong) => Redlock.fromEnv({ KV_REST_API_TOKEN: wrong }),
  'the environment, no JSON': (wrong) => Redlock.fromEnv({ REDLOCK_NODES: `{"token":"${wrong}"` }),
  'the environment, no list': (wrong) => Redlock.fromEnv({ REDLOCK_NODES: `{"token":"${wrong}"}` }),
  'any option': (wrong) => {
    const names = ['ttl', 'maxTtl', 'driftFactor', 'nodeTimeout', 'quorum', 'budget'] as const
    for (const name of [...names, 'concurrency', 'retry', 'onEvent', 'value'] as const) {
      expect(() => construct({ [name]: wrong })).toThrow(`\`${name}`)
    }
    return construct({ ttl: wrong })
  },
  'a value that is too short': (wrong) =>
    redlockWith({ value: () => wrong.slice(0, 15) }).tryAcquire('k'),
  'a value that came before': async (wrong) => {
    const redlock = redlockWith({ value: () => wrong })
    await redlock.tryAcquire('k')
    return redlock.tryAcquire('k')
  },
  'a key': (wrong) => redlock.tryAcquire({ key: wrong } as never),
  'a key that is too long': (wrong) => redlock.tryAcquire(wrong.repeat(300)),
  metadata: (wrong) => redlock.tryAcquire('k', { metadata: wrong.repeat(300) }),
  'a lock from elsewhere': (wrong) => redlock.adopt(`{"value":"${wrong}"}`),
  'a lock from elsewhere, no JSON': (wrong) => redlock.adopt(wrong),
  'a lock from elsewhere, without keys': (wrong) =>
    redlock.adopt({ value: wrong, ttl: 1_000, expiresAt: Date.now() } as SerializedLock),
  'a lock from elsewhere, its ttl': (wrong) =>
    redlock.adopt({ keys: ['k'], value: wrong, ttl: wrong as never, expiresAt: Date.now() }),
  'the token of a gateway': (wrong) =>
    gateway({ token: `${wrong} `, send: async () => '', transaction: async () => [] }),
}
const redlockWith = (options: Partial<RedlockOptions>): Redlock =>
  new Redlock({ nodes: memoryNodes(3), ...options })

describe('an error at the door shows nothing of', () => {
  it.each(Object.entries(doors))('%s', async (_, open) => {
    const error: unknown = await (async () => open(secret))().then(
      () => 'it was let in',
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(TypeError)
    expect(secrets.find(shown(error))).toBeUndefined()
  })

  it('whatever url there is, with a password', () => {
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
        throw new Error(`It was let in: ${url}`)
      }),
      { numRuns: 2_000 },
    )
  })
})
