import type { Reply } from '../../src/protocol/reply.ts'
import { describe, expect, it, vi } from 'vitest'
import {
  LockLostError,
  type LockNode,
  Redlock,
  type RestNodeOptions,
  type SlotRedlock,
  throttle,
  withSlots,
} from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { hangUntilAborted, sleep } from '../../tools/faults.ts'
import { eventually } from '../support/eventually.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { later } from '../support/signals.ts'

// The limits of platforms, emulated, since no local runtime enforces them: the number of requests, the
// number of concurrent requests, and clocks that advance only with I/O.

/** Nodes whose requests pass through `around`. */
const nodesWith = (
  nodes: readonly MemoryNode[],
  around: (send: () => Promise<Reply>) => Promise<Reply>,
): LockNode[] => nodes.map((node) => nodeThrough(node, (_, send) => around(send)))

const counting = (
  servers: readonly MemoryNode[],
): { nodes: LockNode[]; requests: () => number } => {
  let requests = 0
  const nodes = nodesWith(servers, (send) => {
    requests++
    return send()
  })
  return { nodes, requests: () => requests }
}

const hold = (nodes: readonly MemoryNode[], value: string): void => {
  for (const { entries } of nodes)
    entries.set('lock:l:key', { value, expiresAt: Date.now() + 600_000 })
}

describe('a budget', () => {
  it('limits the number of attempts', async () => {
    const servers = memoryNodes(5)
    hold(servers, 'rival000-0000-4000-8000-000000000000')
    const { nodes, requests } = counting(servers)
    const redlock = new Redlock({ nodes, budget: 20, retry: { delay: 1, maxDelay: 2 } })
    await expect(redlock.acquire('key', { wait: 5000 })).rejects.toThrow('is held by')
    expect(requests()).toBeLessThanOrEqual(20)
    expect(requests()).toBeGreaterThanOrEqual(10)
  })

  it.each([
    ['fail at once', 0],
    ['fail after 5 ms', 5],
  ])('counts releases that wait for their turn, where nodes %s', async (_, delay) => {
    const { nodes, requests } = counting(memoryNodes(7))
    const failing = nodes.map((node) =>
      nodeThrough(node, async (_, send) => {
        void send()
        if (delay > 0) await sleep(delay)
        throw new Error('down')
      }),
    )
    const budget = 26
    const redlock = new Redlock({ nodes: failing, budget, retry: { delay: 1, maxDelay: 2 } })
    await expect(redlock.acquire('key', { wait: 1000 })).rejects.toThrow('down')
    await sleep(50)
    // Seven to acquire, and seven to release.
    expect(requests()).toBe(14)
  })

  it('counts the releases of nodes that may still refuse', async () => {
    const servers = memoryNodes(5)
    // Two nodes are slow, and a rival holds the others.
    for (const { entries } of servers.slice(2)) {
      entries.set('lock:l:key', {
        value: 'rival000-0000-4000-8000-000000000000',
        expiresAt: Date.now() + 600_000,
      })
    }
    let requests = 0
    const nodes = servers.map((node, index) =>
      nodeThrough(node, async (_, send) => {
        requests++
        if (index < 2) await sleep(60)
        return send()
      }),
    )
    const redlock = new Redlock({ nodes, budget: 15, retry: { delay: 1, maxDelay: 2 } })
    await expect(redlock.acquire('key', { wait: 500 })).rejects.toThrow('is held by')
    await sleep(200)
    expect(requests).toBeLessThanOrEqual(15)
  })

  /** Nodes that take 20, 25 and 30 ms to reply. A rival holds each until it has replied once. */
  const held = (): { nodes: LockNode[]; requests: () => number } => {
    const servers = memoryNodes(3)
    let requests = 0
    const nodes = servers.map((node, index) => {
      const { entries } = node
      const rival = { value: 'rival000-0000-4000-8000-000000000000', expiresAt: Date.now() + 1_000 }
      for (const key of ['l:key', 'l:key#1', 'l:key#2', 't:key']) entries.set(`lock:${key}`, rival)
      return nodeThrough(node, async (_, send) => {
        requests++
        await sleep(20 + 5 * index)
        const reply = await send()
        for (const [key, entry] of entries) if (entry === rival) entries.delete(key)
        return reply
      })
    })
    return { nodes, requests: () => requests }
  }

  const wait = 10_000

  it.each<[string, (redlock: SlotRedlock) => Promise<unknown>]>([
    ['a lock', (redlock) => redlock.acquire('key', { wait })],
    ['a slot', (redlock) => redlock.acquire('key', { wait, limit: 2 })],
    ['a pass', (redlock) => throttle(redlock, 'key', { wait, window: 60_000 })],
  ])('of three requests per node allows two tries for %s', async (_, call) => {
    const { nodes, requests } = held()
    const redlock = withSlots(new Redlock({ nodes, budget: 9, retry: () => 300 }))
    expect(await call(redlock)).not.toMatchObject({ ok: false })
    expect(requests()).toBe(6)
  })

  it('allows an extension once nodes have refused an earlier try', async () => {
    const servers = memoryNodes(5)
    const rival = { value: 'rival000-0000-4000-8000-000000000000', expiresAt: Date.now() + 600_000 }
    for (const { entries } of servers) entries.set('lock:l:key', rival)
    let requests = 0
    let hasExtended = false
    const nodes = servers.map((node, index) => {
      let isFirst = true
      return nodeThrough(node, async ({ operation }, send) => {
        requests++
        if (operation === 'e') hasExtended = true
        if (!isFirst) return send()
        isFirst = false
        const reply = await send()
        node.entries.clear()
        // An extension is due 500 ms after the second try, when two nodes have yet to refuse the first.
        await sleep(index < 2 ? 1_400 : 850)
        return reply
      })
    })
    const redlock = new Redlock({
      nodes,
      budget: 20,
      ttl: 1_500,
      nodeTimeout: 2_000,
      retry: () => 1,
    })
    await redlock.using('key', { wait: 10_000 }, async (lock) => {
      await eventually(() => expect(hasExtended).toBe(true))
      expect(lock.held).toBe(true)
    })
    expect(requests).toBe(20)
  })

  it.each([1, 2, 3])('is not spent twice on the others if %i of 5 nodes throw', async (broken) => {
    const sent = async (fail: () => Promise<never>): Promise<number> => {
      const servers = memoryNodes(5)
      const state = { requests: 0 }
      const nodes = servers.map((node, index) =>
        nodeThrough(node, (_, send) => {
          state.requests++
          return index < broken ? fail() : send()
        }),
      )
      const redlock = new Redlock({ nodes, budget: 10, warnings: false })
      const result = await redlock.tryAcquire('key')
      if (result.ok) await result.lock.release()
      await eventually(() => {
        expect(servers.some(({ entries }) => entries.has('lock:l:key'))).toBe(false)
      })
      return state.requests
    }
    const throwing = await sent(() => {
      throw new Error('broken')
    })
    const rejecting = await sent(() => Promise.reject(new Error('broken')))
    expect(throwing).toBe(rejecting)
    expect(throwing).toBeLessThanOrEqual(10)
  })

  it('is not spent on extensions after `maxHold`, when the process has stood still', async () => {
    vi.useFakeTimers()
    try {
      let extensions = 0
      const nodes = memoryNodes(3).map((node) =>
        nodeThrough(node, ({ operation }, send) => {
          if (operation === 'e') extensions++
          return send()
        }),
      )
      const redlock = new Redlock({ nodes, ttl: 1_000, maxTtl: 60_000 })
      const held = redlock.using('key', { maxHold: 2_000 }, async (lock) => {
        await lock.extend(60_000)
        await sleep(20_000)
      })
      await vi.advanceTimersByTimeAsync(1)
      vi.setSystemTime(Date.now() + 5_000)
      extensions = 0
      await vi.advanceTimersByTimeAsync(20_000)
      await held
      expect(extensions).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('counts extensions that wait for their turn, where all nodes hang', async () => {
    const servers = memoryNodes(5)
    const state = { isDown: false, requests: 0 }
    const nodes = servers.map((node) =>
      nodeThrough(node, (call, send) => {
        state.requests++
        return state.isDown && call.operation === 'e' ? hangUntilAborted(call) : send()
      }),
    )
    const redlock = new Redlock({
      nodes,
      budget: 20,
      advanced: { concurrency: 1 },
      ttl: 1_000,
      warnings: false,
    })
    await expect(
      redlock.using('key', {}, async (lock) => {
        state.isDown = true
        await eventually(() => expect(lock.held).toBe(false))
        lock.signal.throwIfAborted()
      }),
    ).rejects.toThrow(LockLostError)
    await eventually(() => {
      const keys = servers.map(({ entries }) => entries.has('lock:l:key'))
      expect(keys).not.toContain(true)
    })
    expect(state.requests).toBeLessThanOrEqual(20)
  })

  it('is not spent on a second release of a grant that arrives when the call has failed', async () => {
    const servers = memoryNodes(3)
    const { nodes, requests } = counting(servers)
    const { promise: delivered, resolve: deliver } = later()
    const late = nodes.map((node) =>
      nodeThrough(node, async ({ operation }, send) => {
        const reply = await send()
        if (operation === 'a') await delivered
        return reply
      }),
    )
    const background: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>): void => void background.push(work)
    const redlock = new Redlock({ nodes: late, warnings: false })
    await expect(redlock.acquire('key', { wait: 60, waitUntil })).rejects.toThrow(
      'Too few nodes answered for the lock on ["key"]; no answer in time (ERL03)',
    )
    deliver()
    for (const work of background) await work
    expect(servers.map(({ entries }) => entries.has('lock:l:key'))).not.toContain(true)
    expect(requests()).toBe(6)
  })

  it('reserves requests for the release, so that extensions end earlier', async () => {
    const { nodes, requests } = counting(memoryNodes(3))
    // Long enough for a busy machine to extend it in time.
    const redlock = new Redlock({ nodes, budget: 14, ttl: 400 })
    const held = redlock.using('key', {}, async (lock) => {
      await eventually(() => expect(lock.held).toBe(false))
    })
    await expect(held).rejects.toThrow('it has expired')
    // Three to acquire, two extensions of three, and three to release.
    expect(requests()).toBeLessThanOrEqual(14)
    expect(requests()).toBeGreaterThanOrEqual(9)
  })

  it('counts the second request to a server that does not know the script', async () => {
    const sent: string[] = []
    const rest = (url: string): RestNodeOptions => ({
      url,
      token: 't',
      fetch: async (_, init) => {
        const [command] = JSON.parse(init!.body as string) as string[]
        sent.push(command!)
        const error = command === 'EVALSHA' ? 'NOSCRIPT No matching script' : 'ERR refused'
        return Response.json({ error }, { status: 400 })
      },
    })
    const nodes = [1, 2, 3].map((index) => rest(`http://node-${index}.example`))
    const redlock = new Redlock({ nodes, budget: 12, retry: { delay: 1, maxDelay: 2 } })
    await expect(redlock.acquire('key', { wait: 1000 })).rejects.toThrow('refused')
    // Six to acquire, six to clean up: no second attempt.
    expect(sent.filter((command) => command === 'EVAL').length).toBeLessThanOrEqual(6)
  })
})

describe('concurrency', () => {
  it.each([
    [5, 5, undefined],
    [9, 5, undefined],
    [9, 3, 3],
  ])('of %i nodes sends at most %i requests at the same time', async (count, max, concurrency) => {
    let running = 0
    let seen = 0
    const nodes = nodesWith(memoryNodes(count), async (send) => {
      seen = Math.max(seen, ++running)
      await new Promise((resolve) => setTimeout(resolve, 2))
      running--
      return send()
    })
    const redlock = new Redlock({ nodes, ...(concurrency && { advanced: { concurrency } }) })
    // In virtual time: on a busy machine a node may be so late that it passes its turn. An operation resolves while
    // its last requests are still in flight.
    vi.useFakeTimers()
    const done = async <T>(work: Promise<T>): Promise<T> => {
      await vi.advanceTimersByTimeAsync(100)
      return work
    }
    try {
      const lock = await done(redlock.acquire('key'))
      await done(lock.extend())
      expect(await done(lock.release())).toBe('released')
    } finally {
      vi.useRealTimers()
    }
    expect(seen).toBe(max)
  })

  it('releases all nodes, including those that the acquire did not ask', async () => {
    const servers = memoryNodes(9)
    const lock = await new Redlock({ nodes: servers, advanced: { concurrency: 2 } }).acquire('key')
    await lock.release()
    await eventually(() =>
      expect(servers.map(({ entries }) => entries.has('lock:l:key'))).not.toContain(true),
    )
  })

  it('gives a node that waits for its turn as much time as the others', async () => {
    const servers = memoryNodes(3)
    const nodes = nodesWith(servers, (send) => send())
    nodes[0] = nodeThrough(nodes[0]!, hangUntilAborted)
    const redlock = new Redlock({ nodes, advanced: { concurrency: 1 }, nodeTimeout: 40 })
    const lock = await redlock.acquire('key', { ttl: 60_000 })
    await lock.extend()
    expect(await lock.release()).toBe('released')
    expect(servers.map(({ entries }) => entries.has('lock:l:key'))).not.toContain(true)
  })

  it('works with six connections, of which one hangs', async () => {
    // Six connections: the seventh request waits until one is free.
    let free = 6
    const waiting: (() => void)[] = []
    const servers = memoryNodes(5)
    const nodes = nodesWith(servers, async (send) => {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        await new Promise((resolve) => setTimeout(resolve, 3))
        return await send()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    })
    nodes[0] = {
      name: nodes[0]!.name,
      run: (_command, { signal }) => {
        free--
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            free++
            waiting.shift()?.()
            reject(new Error('aborted'))
          }),
        )
      },
    }
    const redlock = new Redlock({ nodes, nodeTimeout: 200 })
    for (let times = 0; times < 10; times++) {
      const lock = await redlock.acquire('key')
      expect((await redlock.tryAcquire('key')).ok).toBe(false)
      expect(await lock.release()).toBe('released')
    }
  })
})

describe('clocks that advance only with I/O', () => {
  it('suffice, since validity is measured with each answer', async () => {
    let shown = performance.now()
    const tick = (): void => void (shown = performance.now())
    const clock = {
      wall: () => shown,
      monotonic: () => shown,
      setTimer: (callback: () => void, delay: number) =>
        systemClock.setTimer(() => {
          tick()
          callback()
        }, delay),
    }
    const slow = nodesWith(memoryNodes(3), async (send) => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      const reply = await send()
      tick()
      return reply
    })
    const redlock = new Redlock({ nodes: slow, advanced: { clock } })
    const lock = await redlock.acquire('key', { ttl: 2000 })
    // 60 ms have passed, although the clock stood still for that long.
    expect(lock.expiresIn).toBeLessThanOrEqual(1980 - 2 - 55)
    await lock.release()
    // A lock that takes longer than its ttl is not acquired, whatever the clock shows.
    expect((await redlock.tryAcquire('key', { ttl: 50 })).ok).toBe(false)
    const held = await redlock.acquire('key', { ttl: 300 })
    // The timer at the end of the lock advances the clock too.
    await new Promise((resolve) => held.signal.addEventListener('abort', resolve))
    expect(held.held).toBe(false)
  })
})

describe('maxHold', () => {
  it('is when the lock ends, to within less than one ttl', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3), ttl: 200 })
    const begun = performance.now()
    const held = redlock.using('key', { maxHold: 500 }, async (lock) => {
      await vi.waitFor(() => expect(lock.held).toBe(false), { timeout: 2000, interval: 5 })
    })
    await expect(held).rejects.toThrow('it has expired')
    const took = performance.now() - begun
    expect(took).toBeGreaterThan(440)
    expect(took).toBeLessThan(1000)
  })

  it('also bounds the first ttl of a lock', async () => {
    const servers = memoryNodes(3)
    const redlock = new Redlock({ nodes: servers, ttl: 60_000 })
    await redlock.using('key', { maxHold: 200 }, async (lock) => {
      expect(lock.expiresIn).toBeLessThanOrEqual(200)
      const lives = servers.map(({ entries }) => entries.get('lock:l:key')!.expiresAt - Date.now())
      expect(Math.max(...lives)).toBeLessThanOrEqual(200)
    })
  })

  it('causes no extension if it is at most the ttl', async () => {
    const { nodes, requests } = counting(memoryNodes(3))
    const redlock = new Redlock({ nodes, ttl: 100 })
    const held = redlock.using('key', { maxHold: 100 }, async (lock) => {
      await eventually(() => expect(lock.held).toBe(false))
    })
    await expect(held).rejects.toThrow('it has expired')
    expect(requests()).toBe(6)
  })
})
