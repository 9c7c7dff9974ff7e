import { describe, expect, it, vi } from 'vitest'
import {
  type AcquireResult,
  isLockLostError,
  type LockNode,
  Redlock,
  type ScriptCall,
} from '../../src/index.ts'
import { type MemoryNode, memoryNode, memoryNodes } from '../../src/testing/index.ts'
import { systemClock } from '../../src/util/clock.ts'

// Behaviour that depends on the order of requests, on memory nodes whose ranks are known.

/** The node, with a callback before each call. */
const watched = (node: MemoryNode, before: (call: ScriptCall) => void): LockNode => ({
  name: node.name,
  run: async (call, signal) => {
    before(call)
    return node.run(call, signal)
  },
})
const rival = (node: MemoryNode, value: string): void =>
  void node.entries.set('lock:l:key', { value, expiresAt: Infinity })

describe('a split vote', () => {
  it('is led by the holder of the lowest node, which keeps that node and asks again with the same value', async () => {
    const [low, high] = [memoryNode({ name: 'a' }), memoryNode({ name: 'b' })]
    const values: string[] = []
    let kept: string | undefined
    const asked = watched(high, ({ args: [operation, value] }) => {
      if (operation !== 'a' || values.push(value) < 3) return
      kept = low.entries.get('lock:l:key')?.value
      high.entries.delete('lock:l:key')
    })
    rival(high, 'rival')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const result = await new Redlock({ nodes: [asked, low] }).tryAcquire('key')
    expect(result).toMatchObject({ ok: true })
    expect(kept).toBe(values[0])
    expect(new Set(values).size).toBe(1)
  })

  const three = (): [MemoryNode, MemoryNode, MemoryNode] =>
    ['a', 'b', 'c'].map((name) => memoryNode({ name })) as ReturnType<typeof three>
  /** Records the requests of one tryAcquire, in order, as operation and node. */
  const askedOf = async (
    nodes: readonly MemoryNode[],
    before: (call: ScriptCall) => void = () => {},
  ): Promise<{ asked: string[]; values: Set<string>; result: AcquireResult }> => {
    const asked: string[] = []
    const values = new Set<string>()
    const watching = nodes.map((node) =>
      watched(node, (call) => {
        const [operation, value] = call.args
        asked.push(operation + node.name)
        if (operation === 'a') values.add(value)
        before(call)
      }),
    )
    const result = await new Redlock({ nodes: watching }).tryAcquire('key')
    return { asked, values, result }
  }

  it('makes the backup release its nodes, ask the node that the leader needs with a new value, and continue if that is free', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(c, 'another rival')
    const { asked, values, result } = await askedOf([a, b, c], ({ args: [operation] }) => {
      if (operation !== 'r') return
      // Both rivals yield too.
      a.entries.delete('lock:l:key')
      c.entries.delete('lock:l:key')
    })
    expect(result).toMatchObject({ ok: true })
    expect(values.size).toBe(2)
    expect(asked).toEqual(['aa', 'ab', 'ac', 'rb', 'ac', 'aa', 'ab'])
  })

  it('costs the backup one request to learn that the leader continues', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(c, 'another rival')
    const { asked, result } = await askedOf([a, b, c], ({ args: [operation] }) => {
      if (operation === 'r') rival(c, 'one rival')
    })
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa', 'ab', 'ac', 'rb', 'ac'])
  })

  it('is won by the backup if the leader has died', async () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => memoryNode({ name }))
    rival(nodes[0]!, 'one rival')
    for (const node of nodes.slice(2, 4)) rival(node, 'another rival')
    const { result, values } = await askedOf(nodes, ({ args: [operation] }) => {
      if (operation !== 'r') return
      for (const node of nodes.slice(2, 4)) node.entries.delete('lock:l:key')
    })
    expect(result).toMatchObject({ ok: true })
    expect(values.size).toBe(2)
  })

  it('makes other clients yield at once if all nodes have reported their holders', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(b, 'another rival')
    const { asked, result } = await askedOf([a, b, c])
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    expect(asked).toEqual(['aa', 'ab', 'ac', 'rc'])
  })

  it('makes every client ask again if a node has not answered', async () => {
    const [a, b, c] = three()
    rival(a, 'one rival')
    rival(b, 'another rival')
    const broken = ['d', 'e'].map((name): LockNode => ({
      name,
      run: () => Promise.reject(new Error('broken')),
    }))
    const values = new Set<string>()
    const watching = [a, b, c].map((node) =>
      watched(
        node,
        ({ args: [operation, value] }) => void (operation === 'a' && values.add(value)),
      ),
    )
    const redlock = new Redlock({ nodes: [...watching, ...broken] })
    expect(await redlock.tryAcquire('key')).toMatchObject({ ok: false, reason: 'locked' })
    expect(values.size).toBeGreaterThan(1)
  })
})

describe('a second attempt', () => {
  // With one value for all attempts, as in redsync and rslock, the late release would release the lock.
  it('is not undone by a late release of the first one, since no value is used twice', async () => {
    let now = 0
    const nodes = memoryNodes(3, { now: () => now })
    const values = new Set<string>()
    const late: (() => Promise<unknown>)[] = []
    const faulty = nodes.map((node): LockNode => ({
      name: node.name,
      run: async (call, signal) => {
        const [operation, value] = call.args
        values.add(value)
        if (values.size > 1) return node.run(call, signal)
        if (operation === 'r') late.push(() => node.run(call, signal))
        else await node.run(call, signal)
        throw new Error('reply lost')
      },
    }))
    const retry = (): number => {
      now += 2000 // The first attempt has expired on the nodes.
      return 1
    }
    const lock = await new Redlock({ nodes: faulty }).acquire('key', { ttl: 1000, retry })
    expect(late).toHaveLength(3)
    await Promise.all(late.map((release) => release()))
    expect(values.size).toBe(2)
    for (const { entries } of nodes) {
      expect(entries.get('lock:l:key')?.value).toBe(lock.value)
    }
    expect(await lock.release()).toBe('released')
  })
})

describe('an extend', () => {
  it('does not revive a lock whose validity ended while it was in progress', async () => {
    let now = 0
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const slow = watched(memoryNode({ now: () => 0 }), ({ args: [operation] }) => {
      if (operation === 'e') now += 700
    })
    const lock = await new Redlock({ nodes: [slow], clock }).acquire('key', { ttl: 1000 })
    now = 500
    const error: unknown = await lock.extend().catch((reason: unknown) => reason)
    expect(isLockLostError(error)).toBe(true)
    expect(lock.held).toBe(false)
  })
})

describe('timers', () => {
  it('are cancelled when a lock is released, after `using` and after `acquire`', async () => {
    const timers = new Set<symbol>()
    const setTimer: typeof systemClock.setTimer = (callback, delay) => {
      const timer = Symbol(`${delay} ms`)
      timers.add(timer)
      const cancel = systemClock.setTimer(() => {
        timers.delete(timer)
        callback()
      }, delay)
      return () => {
        timers.delete(timer)
        cancel()
      }
    }
    const redlock = new Redlock({ nodes: [memoryNode()], clock: { ...systemClock, setTimer } })
    await redlock.using('key', { ttl: 60_000 }, ({ signal }) => signal.aborted)
    const lock = await redlock.acquire('key', { ttl: 60_000 })
    expect(lock.signal.aborted).toBe(false)
    expect(timers.size).toBeGreaterThan(0)
    await lock.release()
    await vi.waitFor(() => expect(timers.size).toBe(0))
  })
})

describe('listeners', () => {
  it('on the signal of the caller are removed when a call ends, whatever its result', async () => {
    const { signal } = new AbortController()
    const listeners = new Set<unknown>()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    const adding = vi.spyOn(signal, 'addEventListener').mockImplementation((type, listener) => {
      listeners.add(listener)
      add(type, listener as () => void)
    })
    vi.spyOn(signal, 'removeEventListener').mockImplementation((type, listener) => {
      listeners.delete(listener)
      remove(type, listener as () => void)
    })
    const node = memoryNode()
    const redlock = new Redlock({ nodes: [node] })
    await redlock.using('key', { signal, ttl: 60_000 }, () => {})
    const lock = await redlock.acquire('key', { signal, ttl: 60_000 })
    const retry = { attempts: 3, minDelay: 1, maxDelay: 2 }
    await expect(redlock.acquire('key', { signal, retry })).rejects.toThrow('No lock')
    await lock.release()
    expect(adding).toHaveBeenCalled()
    expect(listeners.size).toBe(0)
  })
})
