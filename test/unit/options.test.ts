import { describe, expect, it, vi } from 'vitest'
import {
  type LockNode,
  Redlock,
  restNode,
  type RestNodeOptions,
  upstashNode,
} from '../../src/index.ts'
import type { UpstashClient } from '../../src/nodes/upstash-node.ts'
import { memoryNodes } from '../../src/testing/index.ts'

const node = (name: string): LockNode => ({ name, eval: () => Promise.reject(new Error('down')) })
const nodes = [node('a'), node('b'), node('c')]
const rest = { url: 'https://a.example', token: 'secret-token' }

/** Accepts invalid options on purpose: validation must reject what JavaScript code may pass. */
const make = (options: unknown): Redlock => new Redlock(options as { nodes: LockNode[] })

describe('the options of a Redlock', () => {
  it.each([
    ['nodes', TypeError, {}],
    ['nodes', TypeError, { nodes: [] }],
    ['nodes', TypeError, { nodes: 'https://a.example' }],
    ['nodes[0]', TypeError, { nodes: [null] }],
    ['nodes[0]', TypeError, { nodes: Object.assign([], { length: 3 }) }],
    ['nodes[1]', TypeError, { nodes: [rest, null] }],
    ['nodes[0]', TypeError, { nodes: ['https://a.example'] }],
    ['nodes', TypeError, { nodes: [rest, { ...rest, url: 'https://a.example/' }] }],
    ['nodes[0].url', TypeError, { nodes: [{ token: 't' }] }],
    ['nodes[0].url', TypeError, { nodes: [{ url: 'redis://a.example', token: 't' }] }],
    ['nodes[0].url', TypeError, { nodes: [{ url: 'a.example', token: 't' }] }],
    ['nodes[0].url', TypeError, { nodes: [{ url: 'https://user:pass@a.example', token: 't' }] }],
    ['nodes[0].url', TypeError, { nodes: [{ url: 'https://a.example?_token=t', token: 't' }] }],
    ['nodes[1].token', TypeError, { nodes: [rest, { url: 'https://b.example' }] }],
    ['nodes[0].token', TypeError, { nodes: [{ url: 'https://a.example', token: '' }] }],
    ['nodes[0].token', TypeError, { nodes: [{ url: 'https://a.example', token: 'a\r\nb' }] }],
    ['name', TypeError, { nodes: [{ ...rest, name: '' }] }],
    ['name', TypeError, { nodes: [{ ...rest, name: 1 }] }],
    ['ttl', RangeError, { nodes, ttl: 0 }],
    ['ttl', RangeError, { nodes, ttl: -5 }],
    ['ttl', RangeError, { nodes, ttl: 1.5 }],
    ['ttl', RangeError, { nodes, ttl: Number.NaN }],
    ['ttl', RangeError, { nodes, ttl: Infinity }],
    ['ttl', TypeError, { nodes, ttl: '10s' }],
    ['ttl', TypeError, { nodes, ttl: null }],
    ['ttl', RangeError, { nodes, ttl: 2 }],
    ['ttl', RangeError, { nodes, ttl: 15, advanced: { driftFactor: 0.5 } }],
    ['fenceTtl', RangeError, { nodes, advanced: { fenceTtl: 10_999 } }],
    ['fenceTtl', RangeError, { nodes, advanced: { fenceTtl: 60_000.5 } }],
    ['fenceTtl', RangeError, { nodes, advanced: { fenceTtl: 30 * 86_400_000 + 1 } }],
    ['fenceTtl', TypeError, { nodes, advanced: { fenceTtl: '10m' } }],
    ['driftFactor', RangeError, { nodes, advanced: { driftFactor: 1 } }],
    ['driftFactor', RangeError, { nodes, advanced: { driftFactor: -0.1 } }],
    ['driftFactor', TypeError, { nodes, advanced: { driftFactor: '1%' } }],
    ['nodeTimeout', RangeError, { nodes, nodeTimeout: 0 }],
    ['volatile', TypeError, { nodes: [{ ...node('a'), volatile: 'yes' }] }],
    ['quorum', RangeError, { nodes, advanced: { quorum: 1 } }],
    ['quorum', RangeError, { nodes, advanced: { quorum: 4 } }],
    ['quorum', RangeError, { nodes, advanced: { quorum: 2.5 } }],
    ['quorum', TypeError, { nodes, advanced: { quorum: '2' } }],
    ['quorum', RangeError, { nodes: [...nodes, node('d')], advanced: { quorum: 2 } }],
    ['concurrency', RangeError, { nodes, advanced: { concurrency: 0 } }],
    ['value', TypeError, { nodes, advanced: { value: 'a secret of sixteen' } }],
    ['random', TypeError, { nodes, advanced: { random: 0.5 } }],
    ['advanced', TypeError, { nodes, advanced: null }],
    ['advanced', TypeError, { nodes, advanced: 3 }],
    ['strategy', TypeError, { nodes, strategy: 'frugally' }],
    ['prefix', TypeError, { nodes, prefix: 7 }],
    ['keyName', TypeError, { nodes, keyName: 'mutex:' }],
    ['retry', TypeError, { nodes, retry: 'never' }],
    ['retry.attempts', RangeError, { nodes, retry: { attempts: 0 } }],
    ['retry.delay', RangeError, { nodes, retry: { delay: -1 } }],
    ['retry.delay', RangeError, { nodes, retry: { delay: 10, maxDelay: 5 } }],
  ])('reject an invalid %s with %o: %o', (option, type, options) => {
    expect(() => make(options)).toThrow(type)
    expect(() => make(options)).toThrow(`Expected \`${option}\` to be `)
  })

  it('are all optional except nodes', () => {
    expect(() => make({ nodes })).not.toThrow()
  })

  it('include the name of a REST node, which orders the nodes and appears in reports', async () => {
    const asked: string[] = []
    const fetch = async (url: RequestInfo | URL): Promise<Response> => {
      asked.push(url as string)
      return Response.json({ error: 'ERR down' })
    }
    const named = (name: string, host: string): RestNodeOptions => ({
      url: `https://${host}.example/`,
      token: 't',
      name,
      fetch,
    })
    const nodes = [named('3', 'a'), named('2', 'b'), named('1', 'c')]
    const redlock = make({ nodes, warnings: false })
    expect(await redlock.tryAcquire('key')).toMatchObject({
      nodes: [{ node: '1' }, { node: '2' }, { node: '3' }],
    })
    expect(asked.slice(0, 3)).toEqual(['c', 'b', 'a'].map((host) => `https://${host}.example`))
  })

  it('do not show a number that may be a secret', () => {
    const token = 987_654_321_012 as unknown as string
    const nodes = [{ url: 'http://a.example', token }]
    expect(() => make({ nodes })).toThrow('to be visible ASCII, got number')
  })

  it('include an onEvent that may be async, whose rejection is ignored', async () => {
    const onEvent = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('logging is down')))
    const redlock = make({ nodes: memoryNodes(3), onEvent })
    await (await redlock.acquire('key')).release()
    expect(onEvent).toHaveBeenCalledTimes(2)
  })

  it('never show a token or a url with credentials', () => {
    const mistakes = [
      { nodes: [{ url: 'secret-token', token: 'https://a.example' }] },
      { nodes: [{ url: 'https://user:secret-token@a.example', token: 't' }] },
      { nodes: [{ url: 'https://a.example', token: 'secret-token\n' }] },
    ]
    for (const options of mistakes) {
      expect(() => make(options)).toThrow(expect.not.stringContaining('secret-token') as string)
    }
  })
})

describe('an even number of nodes', () => {
  it('works, and causes one warning', async () => {
    vi.resetModules()
    const { Redlock } = await import('../../src/index.ts')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect(() => new Redlock({ nodes })).not.toThrow()
    expect(warn).not.toHaveBeenCalled()
    const two = (): Redlock => new Redlock({ nodes: nodes.slice(0, 2) })
    expect([two(), two(), two()]).toHaveLength(3)
    expect(warn.mock.calls).toEqual([['edge-redlock: use an odd number of nodes']])
    warn.mockRestore()
  })
})

describe('the options of a call', () => {
  const redlock = new Redlock({ nodes })
  it.each([
    ['ttl', { ttl: 0 }],
    ['ttl', { ttl: '1s' }],
    ['wait', { wait: -1 }],
    ['wait', { wait: Number.NaN }],
    ['retry.attempts', { retry: { attempts: -1 } }],
    ['signal', { signal: {} }],
    ['signal', { signal: 'now' }],
    ['waitUntil', { waitUntil: true }],
  ])('reject an invalid %s: %o', async (option, options) => {
    const call = redlock.acquire('key', options as object)
    await expect(call).rejects.toThrow(`Expected \`${option}\` to be `)
  })

  it('fail before anything is locked if waitUntil throws, as a detached method does', async () => {
    const asked = vi.fn(() => Promise.reject(new Error('down')))
    const client = new Redlock({ nodes: [{ name: 'asked', eval: asked }] })
    const waitUntil = (): void => {
      throw new TypeError('Illegal invocation')
    }
    await expect(client.acquire('key', { waitUntil })).rejects.toThrow('Illegal invocation')
    expect(asked).not.toHaveBeenCalled()
  })

  it('of using reject an invalid routine or maxHold before the lock is acquired', async () => {
    await expect(redlock.using('key', {}, undefined as never)).rejects.toThrow('`routine`')
    await expect(redlock.using('key', { maxHold: 0 }, () => {})).rejects.toThrow('`maxHold`')
  })

  it('of throttle reject an invalid window', async () => {
    for (const window of [undefined, 0, 1.5, '5s']) {
      const call = redlock.throttle('key', { window: window as number })
      await expect(call).rejects.toThrow('`window`')
    }
  })

  it('with an aborted signal reject with its reason', async () => {
    const signal = AbortSignal.abort('too late')
    await expect(redlock.acquire('key', { signal })).rejects.toBe('too late')
    await expect(redlock.tryAcquire('key', { signal })).rejects.toBe('too late')
    await expect(redlock.throttle('key', { signal, window: 100 })).rejects.toBe('too late')
  })
})

describe('value', () => {
  const wrong = /^Expected `value` to be .* the first eight differ each time/

  it.each([
    ['has a prefix', () => `worker-1-${crypto.randomUUID()}`],
    ['is a time and random text, as a ULID', () => `${Date.now()}${crypto.randomUUID()}`],
    ['is always the same', () => 'a secret of sixteen'.replaceAll(' ', '-')],
  ])('is rejected at the first call where it %s', async (_, value) => {
    const redlock = new Redlock({ nodes: memoryNodes(3), advanced: { value } })
    await expect(redlock.tryAcquire('key')).rejects.toThrow(wrong)
  })

  it('has a winner in every burst where it is accepted', async () => {
    const servers = memoryNodes(3)
    for (let burst = 0; burst < 20; burst++) {
      const contend = async (): Promise<boolean> => {
        const value = () => `${crypto.randomUUID().slice(0, 8)}-worker-1`
        const redlock = new Redlock({ nodes: servers, advanced: { value } })
        return (await redlock.tryAcquire(`key ${burst}`)).ok
      }
      const results = await Promise.all(Array.from({ length: 5 }, contend))
      expect(results.filter(Boolean)).toHaveLength(1)
    }
  })
})

describe('upstashNode', () => {
  const evalsha = (): Promise<unknown> => Promise.resolve()
  const fitting = { evalsha, eval: evalsha }

  it('rejects a value that is not a client', () => {
    for (const client of [undefined, null, {}, { evalsha }]) {
      expect(() => upstashNode(client as unknown as UpstashClient)).toThrow('`redis`')
    }
  })

  it('rejects a client with a static signal, which invents replies once it aborts', () => {
    const client = {
      ...fitting,
      client: { baseUrl: 'https://a', options: { signal: new AbortController().signal } },
    }
    expect(() => upstashNode(client)).toThrow('`signal`')
  })

  it('needs a name if the client does not expose its url', () => {
    expect(() => upstashNode(fitting)).toThrow('`name`')
    expect(upstashNode(fitting, { name: 'eu' }).name).toBe('eu')
  })
})

describe('restNode', () => {
  it('is named by its url, without a trailing slash', () => {
    expect(restNode({ url: 'https://a.example/redis/', token: 't' }).name).toBe(
      'https://a.example/redis',
    )
  })
})
