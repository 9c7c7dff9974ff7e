import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withLock } from '../../src/entries/fetch.ts'
import {
  isLockedError,
  isQuorumError,
  type LockNode,
  Redlock,
  type RedlockOptions,
  throttle,
} from '../../src/index.ts'
import { memoryNode, type MemoryNode } from '../../src/entries/testing.ts'
import { type NodeFault, nodeThrough } from '../../tools/node-through.ts'

// Which nodes a frugal attempt asks, and when. The conformance suite tests everything else.

const names = ['a', 'b', 'c']

const setUp = (
  options: Partial<RedlockOptions> = {},
  first: NodeFault = (_, send) => send(),
): { redlock: Redlock; asked: string[]; nodes: MemoryNode[]; rival: (count: number) => void } => {
  const asked: string[] = []
  const nodes = names.map((name) => memoryNode({ name }))
  const watching = nodes.map((node, index) =>
    nodeThrough(node, (call, send) => {
      asked.push(call.operation + node.name)
      return index === 0 ? first(call, send) : send()
    }),
  )
  const rival = (count: number): void => {
    for (const { entries } of nodes.slice(0, count)) {
      entries.set('lock:l:key', {
        value: 'another0-0000-4000-8000-000000000000',
        expiresAt: Date.now() + 60_000,
      })
    }
  }
  const redlock = new Redlock({ nodes: watching, strategy: 'frugal', ...options })
  return { redlock, asked, nodes, rival }
}

describe('a frugal attempt', () => {
  it('asks the first node, and the others once that has granted the lock', async () => {
    const { redlock, asked } = setUp()
    const running = redlock.acquire('key')
    expect(asked).toEqual(['aa'])
    const lock = await running
    expect(asked).toEqual(['aa', 'ab', 'ac'])
    expect(await lock.fencingToken()).toBeGreaterThan(0)
    expect(asked).toHaveLength(3)
    expect(await lock.release()).toBe('released')
  })

  it('is rejected after one request, with the time until the lock can be free', async () => {
    const { redlock, asked, rival } = setUp()
    rival(3)
    const result = await redlock.tryAcquire('key')
    expect(result).toMatchObject({ ok: false, reason: 'locked', nodes: [{ node: 'a' }] })
    expect(!result.ok && result.retryAfter).toBeGreaterThan(59_000)
    expect(asked).toEqual(['aa'])
  })

  it('needs one request to find a throttle window closed', async () => {
    const { redlock, asked, nodes } = setUp()
    for (const { entries } of nodes) {
      entries.set('lock:t:key', {
        value: 'another0-0000-4000-8000-000000000000',
        expiresAt: Date.now() + 60_000,
      })
    }
    const first = await throttle(redlock, 'key', { window: 60_000 })
    expect(first).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa'])
  })

  it('asks all other nodes at once when the first node fails', async () => {
    const { redlock, asked } = setUp({}, () => Promise.reject(new Error('broken')))
    const result = await redlock.tryAcquire('key')
    expect(result.ok).toBe(true)
    expect(asked).toEqual(['aa', 'ab', 'ac'])
  })

  it('asks all other nodes when the first node does not answer within half of its timeout', async () => {
    const { redlock, asked } = setUp({ nodeTimeout: 40 }, () => new Promise(() => {}))
    const result = await redlock.tryAcquire('key')
    expect(result.ok).toBe(true)
    expect(asked).toEqual(['aa', 'ab', 'ac'])
  })

  it('begins with a node that was not slow before', async () => {
    const { redlock, asked } = setUp({ nodeTimeout: 100 }, () => new Promise(() => {}))
    // The node is slow once its timeout is over, which a busy process notices late.
    const firstAsked = async (): Promise<string | undefined> => {
      asked.length = 0
      await (await redlock.acquire('one')).release()
      return asked[0]
    }
    expect(await firstAsked()).toBe('aa')
    await expect.poll(firstAsked).toBe('ab')
  })

  it('releases the first node when the others have rejected', async () => {
    const { redlock, asked, nodes, rival } = setUp()
    rival(3)
    nodes[0]!.entries.clear()
    // The clock stands still: an answer that is late on a busy machine would be asked for again.
    vi.useFakeTimers()
    const result = await redlock.tryAcquire('key').finally(() => vi.useRealTimers())
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa', 'ab', 'ac', 'ra'])
    expect(nodes[0]!.entries.has('lock:l:key')).toBe(false)
  })
})

describe('a call with a `strategy` of its own', () => {
  it('asks all nodes at once with a frugal client', async () => {
    const { redlock, asked } = setUp()
    const running = redlock.acquire('key', { strategy: 'parallel' })
    expect(asked).toEqual(['aa', 'ab', 'ac'])
    await (await running).release()
  })

  it.each(['tryAcquire', 'acquire', 'using', 'throttle'] as const)('may be %s', async (call) => {
    const { redlock, asked, nodes } = setUp({ strategy: 'parallel' })
    for (const { entries } of nodes) {
      for (const kind of ['l', 't']) {
        entries.set(`lock:${kind}:key`, {
          value: 'rival000-0000-4000-8000-000000000000',
          expiresAt: Date.now() + 60_000,
        })
      }
    }
    const strategy = 'frugal'
    const calls = {
      tryAcquire: () => redlock.tryAcquire('key', { strategy }),
      acquire: () => redlock.acquire('key', { strategy, retry: { attempts: 1 } }),
      using: () => redlock.using('key', { strategy, retry: { attempts: 1 } }, () => {}),
      throttle: () => throttle(redlock, 'key', { strategy, window: 60_000 }),
    }
    await calls[call]().catch((error: unknown) => expect(error).toSatisfy(isLockedError))
    expect(asked).toEqual(['aa'])
  })

  it('may be one of a request', async () => {
    const { redlock, asked, rival } = setUp({ strategy: 'parallel' })
    rival(3)
    const options = { redlock, key: 'key', strategy: 'frugal' } as const
    const handle = withLock(options, () => new Response('done'))
    expect((await handle(new Request('https://example.com'))).status).toBe(409)
    expect(asked).toEqual(['aa'])
  })
})

describe('a frugal call with a short `wait`', () => {
  it('asks all nodes, since there is no time to pass on from a first node that hangs', async () => {
    const { redlock } = setUp({}, () => new Promise(() => {}))
    const result = await redlock.acquire('key', { wait: 200 })
    expect(await result.release()).toBe('released')
  })
})

describe('a waiting call', () => {
  const retry = { attempts: 6, delay: 1, maxDelay: 2 }

  // A busy machine may stand still for longer than a rejection counts.
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
  )
  afterEach(() => void vi.useRealTimers())

  /** Lets all delays pass. */
  const ended = async <T>(call: Promise<T>): Promise<T> => {
    call.catch(() => {})
    await vi.runAllTimersAsync()
    return call
  }

  it('probes only the first node after a rejection by all', async () => {
    const { redlock, asked, rival } = setUp({ strategy: 'parallel' })
    rival(3)
    await expect(ended(redlock.acquire('key', { retry }))).rejects.toThrow('is held by')
    const acquires = asked.filter((what) => what.startsWith('a')).join(' ')
    expect(acquires).toBe('aa ab ac aa aa aa aa aa')
  })

  it('acquires a lock whose holder on the first node has no quorum', async () => {
    const { redlock, rival } = setUp()
    rival(1)
    const lock = await ended(redlock.acquire('key', { retry }))
    expect(await lock.release()).toBe('released')
  })

  // The first node may still have a key of this client, and report it as locked.
  it('asks all nodes after an outage, and reports the outage', async () => {
    const asked: string[] = []
    const nodes = names.map((name, index): LockNode => ({
      name,
      run: async ({ op }) => {
        if (op === 'acquire') asked.push(name)
        if (index > 0) throw new Error('broken')
        // The release of the first attempt arrives too late.
        return asked.filter((one) => one === name).length > 1
          ? { status: 'locked', ttl: 1000, holder: 'myself', counter: 1 }
          : { status: 'granted', counter: 1 }
      },
    }))
    const acquiring = new Redlock({ nodes }).acquire('key', { retry })
    await expect(ended(acquiring)).rejects.toSatisfy(isQuorumError)
    expect(asked).toEqual(Array.from({ length: 6 }, () => names).flat())
  })

  it('asks all nodes each time while the first node fails', async () => {
    const broken = () => Promise.reject(new Error('broken'))
    const { redlock, asked, rival } = setUp({ strategy: 'parallel' }, broken)
    rival(3)
    await expect(ended(redlock.acquire('key', { retry }))).rejects.toThrow('is held by')
    expect(asked.filter((what) => what === 'ab')).toHaveLength(6)
  })
})
