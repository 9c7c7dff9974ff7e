import { describe, expect, it, vi } from 'vitest'
import {
  type LockNode,
  Redlock,
  restNode,
  type RestNodeOptions,
  throttle,
  upstashNode,
} from '../../src/index.ts'
import type { UpstashClient } from '../../src/redis/upstash-node.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { downNode } from '../support/down-node.ts'

const nodes = ['a', 'b', 'c'].map((name) => downNode(name))

/** Accepts invalid options on purpose: validation must reject what JavaScript code may pass. */
const make = (options: unknown): Redlock => new Redlock(options as { nodes: LockNode[] })

describe('the options of a Redlock', () => {
  it('have no quorum below the majority of an even number of nodes', () => {
    const options = { nodes: [...nodes, downNode('d')], advanced: { quorum: 2 } }
    expect(() => make(options)).toThrow('`quorum` must be an integer from 3 to 4; got 2')
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
    expect(() => make({ nodes })).toThrow('must be visible ASCII; got number')
  })

  it('include an onEvent that may be async, whose rejection is ignored', async () => {
    const onEvent = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('logging is down')))
    const redlock = make({ nodes: memoryNodes(3), onEvent })
    await (await redlock.acquire('key')).release()
    expect(onEvent).toHaveBeenCalledTimes(2)
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
    expect(warn.mock.calls).toEqual([['edge-redlock: use an odd number of nodes (ERL21)']])
    warn.mockRestore()
  })
})

describe('the options of a call', () => {
  const redlock = new Redlock({ nodes })
  it('fail before anything is locked if waitUntil throws, as a detached method does', async () => {
    const asked = vi.fn(async () => {})
    const client = new Redlock({ nodes: [nodeThrough(memoryNode(), asked as never)] })
    const waitUntil = (): void => {
      throw new TypeError('Illegal invocation')
    }
    await expect(client.acquire('key', { waitUntil })).rejects.toThrow('Illegal invocation')
    expect(asked).not.toHaveBeenCalled()
  })

  it('of using come before the routine', async () => {
    await expect(redlock.using('key', {}, undefined as never)).rejects.toThrow('`routine`')
  })

  it('with an aborted signal reject with its reason', async () => {
    const signal = AbortSignal.abort('too late')
    await expect(redlock.acquire('key', { signal })).rejects.toBe('too late')
    await expect(redlock.tryAcquire('key', { signal })).rejects.toBe('too late')
    await expect(throttle(redlock, 'key', { signal, window: 100 })).rejects.toBe('too late')
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
