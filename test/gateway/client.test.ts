import { Redis as Upstash } from '@upstash/redis'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { backends } from './backends.ts'
import { token, useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(Object.entries(backends))('@upstash/redis over %s', (_name, connect) => {
  const use = useGateway({}, connect)
  let upstash: Upstash
  beforeAll(() => void (upstash = use.server.upstash()))

  test('strings', async () => {
    expect(await upstash.set('a', 'b', { nx: true, px: 60_000 })).toBe('OK')
    expect(await upstash.set('a', 'c', { nx: true })).toBeNull()
    expect(await upstash.get('a')).toBe('b')
    expect(await upstash.pttl('a')).toBeGreaterThan(0)
    expect(await upstash.incrby('n', 41)).toBe(41)
    expect(await upstash.incrbyfloat('n', 0.5)).toBe(41.5)
    expect(await upstash.mget('a', 'none')).toEqual(['b', null])
    expect(await upstash.del('a', 'n', 'none')).toBe(2)
    expect(await upstash.ping()).toBe('PONG')
  })

  test('values that are not plain ASCII', async () => {
    const values = ['é😀漢字', '\0\r\n"\\', '\ufeffmark', ' ', 'x'.repeat(200_000)]
    for (const value of values) {
      await upstash.set('v', value)
      const raw = await use.server.post('/', ['GET', 'v'])
      expect(raw).toEqual([200, { result: value }])
    }
    await upstash.set('v', { nested: ['é', 1, null] })
    expect(await upstash.get('v')).toEqual({ nested: ['é', 1, null] })
  })

  test('strings that look like numbers', async () => {
    const plain = new Upstash({ url: use.server.url, token, automaticDeserialization: false })
    for (const value of ['007', '1e3', '12345678901234567890', '-0', 'NaN', 'null', 'OK']) {
      await plain.set('v', value)
      expect(await plain.get('v')).toBe(value)
    }
  })

  test('binary values, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    await use.server.request('/set/bytes', { method: 'POST', body: bytes })
    await use.server.request('/hset/hash/%ff%00', { method: 'POST', body: bytes })
    const encoded = Buffer.from(bytes).toString('base64')
    const headers = { 'Upstash-Encoding': 'base64' }
    expect(await upstash.strlen('bytes')).toBe(256)
    expect(await use.server.post('/', ['get', 'bytes'], headers)).toEqual([
      200,
      { result: encoded },
    ])
    expect(await use.server.post('/', ['hgetall', 'hash'], headers)).toEqual([
      200,
      { result: [Buffer.of(0xff, 0).toString('base64'), encoded] },
    ])
    expect(await use.server.post('/multi-exec', [['get', 'bytes']], headers)).toEqual([
      200,
      [{ result: encoded }],
    ])
    expect(await use.server.post('/multi-exec', [['hgetall', 'hash']], headers)).toEqual([
      200,
      [{ result: [Buffer.of(0xff, 0).toString('base64'), encoded] }],
    ])
  })

  test('hashes, sets and sorted sets', async () => {
    expect(await upstash.hset('h', { a: '1', b: { c: 2 } })).toBe(2)
    expect(await upstash.hgetall('h')).toEqual({ a: 1, b: { c: 2 } })
    expect(await upstash.hgetall('none')).toBeNull()
    expect(await upstash.hmget('h', 'a', 'z')).toEqual({ a: 1, z: null })
    expect(await upstash.sadd('s', 'x', 'y', 'x')).toBe(2)
    expect((await upstash.smembers('s')).toSorted()).toEqual(['x', 'y'])
    expect(await upstash.zadd('z', { score: 1.5, member: 'a' }, { score: 2, member: 'b' })).toBe(2)
    expect(await upstash.zscore('z', 'a')).toBe(1.5)
    expect(await upstash.zrange('z', 0, -1, { withScores: true })).toEqual(['a', 1.5, 'b', 2])
  })

  test('scans', async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `key:${index}`)
    await upstash.mset(Object.fromEntries(keys.map((key) => [key, 1])))
    const seen = new Set<string>()
    let cursor = '0'
    do {
      const [next, page] = await upstash.scan(cursor, { match: 'key:*', count: 20 })
      for (const key of page) seen.add(key)
      cursor = next
    } while (cursor !== '0')
    expect(seen).toEqual(new Set(keys))
    await upstash.hset('h', { a: 'x' })
    expect(await upstash.hscan('h', 0)).toEqual(['0', ['a', 'x']])
  })

  test('streams', async () => {
    const id = await upstash.xadd('stream', '*', { name: 'é' })
    expect(await upstash.xlen('stream')).toBe(1)
    expect(await upstash.xrange('stream', '-', '+')).toEqual({ [id]: { name: 'é' } })
  })

  test('scripts', async () => {
    const source = "redis.call('SET', KEYS[1], ARGV[1]) return {redis.call('GET', KEYS[1]), 7}"
    await expect(upstash.evalsha('f'.repeat(40), [], [])).rejects.toThrow(/NOSCRIPT/)
    expect(await upstash.eval(source, ['k'], ['v'])).toEqual(['v', 7])
    const sha = await upstash.scriptLoad(source)
    expect(sha).toMatch(/^[\da-f]{40}$/)
    expect(await upstash.evalsha(sha, ['k'], ['w'])).toEqual(['w', 7])
    // All users of the server share its scripts.
    await expect(upstash.scriptFlush()).rejects.toThrow(/not available/)
    // EVALSHA first, then EVAL on NOSCRIPT, then EVALSHA again.
    const script = upstash.createScript(`${source} -- ${crypto.randomUUID()}`)
    expect(await script.exec(['k'], ['x'])).toEqual(['x', 7])
    expect(await upstash.scriptExists(sha)).toEqual([1])
    expect(await script.exec(['k'], ['y'])).toEqual(['y', 7])
  })

  test('errors', async () => {
    await upstash.set('text', 'x')
    for (const client of [upstash, use.server.upstash({ enableAutoPipelining: false })]) {
      await expect(client.incr('text')).rejects.toThrow(/ERR value is not an integer/)
      await expect(client.lpush('text', 'a')).rejects.toThrow(/WRONGTYPE/)
      await expect(client.exec(['NOSUCH', 'a'])).rejects.toThrow(/ERR unknown command/)
      await expect(client.exec(['BLPOP', 'a', 0])).rejects.toThrow(/not available/)
    }
    const stranger = new Upstash({ url: use.server.url, token: 'wrong', retry: { retries: 0 } })
    await expect(stranger.get('text')).rejects.toThrow(/WRONGPASS/)
  })

  test('pipelines', async () => {
    const pipeline = upstash.pipeline().set('a', 1).incr('a').get('none').set('b', 'x').incr('b')
    expect(await pipeline.exec({ keepErrors: true })).toEqual([
      { result: 'OK', error: undefined },
      { result: 2, error: undefined },
      { result: null, error: undefined },
      { result: 'OK', error: undefined },
      { result: undefined, error: 'ERR value is not an integer or out of range' },
    ])
    await expect(upstash.pipeline().set('b', 'x').incr('b').exec()).rejects.toThrow(
      /Command 2 \[ incr \] failed: ERR value/,
    )
  })

  test('transactions', async () => {
    expect(await upstash.multi().set('a', 1).incr('a').mget('a', 'none').exec()).toEqual([
      'OK',
      2,
      [2, null],
    ])
    await upstash.set('b', 'x')
    const failing = upstash.multi().incr('b').set('c', 'é')
    expect(await failing.exec({ keepErrors: true })).toMatchObject([
      { error: 'ERR value is not an integer or out of range' },
      { result: 'OK' },
    ])
    await expect(use.server.post('/multi-exec', [['SET', 'e', '1'], ['SET']])).resolves.toEqual([
      400,
      { error: expect.stringMatching(/^(?:EXECABORT|ERR wrong number) ?/) },
    ])
    expect(await upstash.exists('e')).toBe(0)
  })

  test('auto-pipelining: simultaneous commands share a request, and each gets its own reply', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
    const before = use.server.requests()
    expect(await Promise.all(keys.map((key) => upstash.set(key, `value of ${key}`)))).toEqual(
      keys.map(() => 'OK'),
    )
    expect(await Promise.all(keys.map((key) => upstash.get(key)))).toEqual(
      keys.map((key) => `value of ${key}`),
    )
    expect(use.server.requests() - before).toBe(2)
  })
})
