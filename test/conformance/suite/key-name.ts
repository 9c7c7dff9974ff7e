import { adopt, inspect, serialize, throttle, ttlOf, withKeyNames } from '../../../src/index.ts'
import { describe, expect, it } from 'vitest'
import { freshKey } from '../../support/nodes.ts'
import { fiveNodes, type Setup } from './setup.ts'

const nobody = [null, null, null, null, null]

/** Locks whose Redis keys have the names of another library. */
export const keyNameTests = ({
  name,
  servers,
  redlockWith,
  redlock,
  storedValues,
}: Setup): void => {
  const keyName = (key: string): string => `mutex:${key}`
  const named = withKeyNames(redlockWith(fiveNodes()), keyName)
  const ask = (...words: (string | number)[]): Promise<unknown[]> =>
    Promise.all(servers.map((server) => server.command(...words)))
  const held = (key: string): Promise<unknown[]> => ask('GET', keyName(key))

  describe(`${name}: withKeyNames`, () => {
    it('names the keys that hold a lock, and those only', async () => {
      const keys = [freshKey(), freshKey()].sort()
      const lock = await named.acquire(keys, { metadata: 'web 3' })
      for (const key of keys) {
        expect(await held(key)).toContain(`${lock.value} web 3`)
        expect(await storedValues(key)).toEqual(nobody)
      }
      const token = await lock.fencingToken()
      await lock.extend()
      expect(await ttlOf(lock)).toBeGreaterThan(0)
      expect(await lock.release()).toBe('released')
      for (const key of keys) expect(await held(key)).toEqual(nobody)
      // The fence keeps its name, so that tokens rise across clients with and without such names.
      const later = await redlock.acquire(keys)
      expect(await later.fencingToken()).toBeGreaterThan(token)
      await later.release()
    })

    it('names them for inspect and adopt, too', async () => {
      const key = freshKey()
      const lock = await named.acquire(key, { ttl: 60_000 })
      expect(await inspect(named, key)).toMatchObject({ state: 'locked' })
      expect(await inspect(redlock, key)).toMatchObject({ state: 'free' })
      const adopted = adopt(
        withKeyNames(redlockWith(fiveNodes()), (name) => `mutex:${name}`),
        JSON.stringify(serialize(lock)),
      )
      await adopted.extend()
      expect(await adopted.release()).toBe('released')
      expect(await held(key)).toEqual(nobody)
    })

    it('is dropped by way of locks that hold the old and the new key', async () => {
      const key = freshKey()
      const both = withKeyNames(redlockWith(fiveNodes()), (name) =>
        name.startsWith('old ') ? keyName(name.slice(4)) : `lock:l:${name}`,
      )
      const lock = await both.acquire([key, `old ${key}`])
      for (const client of [named, redlock]) {
        expect(await client.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
      }
      expect(await lock.release()).toBe('released')
      for (const client of [named, redlock]) {
        await using held = await client.acquire(key)
        expect(await both.tryAcquire([key, `old ${key}`])).toMatchObject({ ok: false })
        expect(held.held).toBe(true)
      }
    })

    it('keeps everybody out while another library holds the key, and no longer', async () => {
      const key = freshKey()
      await ask('SET', keyName(key), '0123456789abcdef0123456789abcdef', 'PX', 30_000)
      const rejection = await named.tryAcquire(key)
      expect(rejection).toMatchObject({ ok: false, reason: 'locked' })
      expect(rejection.ok || rejection.retryAfter).toBeGreaterThan(10_000)
      expect(await inspect(named, key)).toMatchObject({ state: 'foreign' })
      expect(await held(key)).not.toContain(null)
      await ask('DEL', keyName(key))
      expect(await (await named.acquire(key)).release()).toBe('released')
    })

    it('does not name the keys of throttles', async () => {
      const key = freshKey()
      await ask('SET', keyName(key), '0123456789abcdef0123456789abcdef', 'PX', 30_000)
      expect(await throttle(named, key, { window: 5_000 })).toMatchObject({ ok: true })
      const other = redlockWith(fiveNodes())
      expect(await throttle(other, key, { window: 5_000 })).toMatchObject({ ok: false })
      await ask('DEL', keyName(key))
    })

    it.each<[string, (key: string) => unknown]>([
      ['nothing', () => undefined],
      ['a promise', async (key) => key],
      ['an empty name', () => ''],
      ['half a character', () => '\ud800'],
      ['a fence', (key) => `lock:f:${key}`],
      ['a throttle', (key) => `lock:t:${key}`],
      ['a tombstone', () => 'lock:x:'],
      ['the identity of the server', () => 'lock:id'],
      ['the run of the server', () => 'lock:run'],
    ])('that returns %s is rejected', async (_, bad) => {
      const key = freshKey()
      const wrong = withKeyNames(redlockWith(fiveNodes()), bad as (key: string) => string)
      const message = `\`keyName("${key}")\` must be`
      await expect(wrong.tryAcquire(key)).rejects.toThrow(message)
      await expect(inspect(wrong, key)).rejects.toThrow(message)
      const lock = await redlock.acquire(key)
      expect(() => adopt(wrong, JSON.stringify(serialize(lock)))).toThrow(message)
      await lock.release()
    })

    it('that throws rejects the call with its error', async () => {
      const error = new Error('no such tenant')
      const keyName = (): string => {
        throw error
      }
      await expect(
        withKeyNames(redlockWith(fiveNodes()), keyName).acquire(freshKey()),
      ).rejects.toBe(error)
    })

    it('that gives two keys of one lock the same name is rejected', async () => {
      const wrong = withKeyNames(redlockWith(fiveNodes()), () => 'same')
      await expect(wrong.acquire(['a', 'b'])).rejects.toThrow(
        '`keyName` must be a function that gives each key a different name; got one name for two keys',
      )
    })
  })
}
