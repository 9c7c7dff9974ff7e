import { describe, expect, it, vi } from 'vitest'
import { adopt, isLockLostError, type Lock, type LockEvent, Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'
import { hangUntilAborted, sleep } from '../../tools/faults.ts'
import { eventually } from '../support/eventually.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { later } from '../support/signals.ts'

// Edge cases of a held lock.

describe('a lock that is won too late', () => {
  it.each([
    ['both clocks', (passed: number) => ({ wall: passed, monotonic: passed })],
    [
      'a frozen machine, whose monotonic clock stood still',
      (wall: number) => ({ wall, monotonic: 0 }),
    ],
    ['a wall clock that was set back', (monotonic: number) => ({ wall: -monotonic, monotonic })],
  ])('is rejected and released: %s', async (_, clocks) => {
    let passed = 0
    const clock = {
      ...systemClock,
      wall: () => clocks(passed).wall,
      monotonic: () => clocks(passed).monotonic,
    }
    const servers = memoryNodes(3)
    const nodes = servers.map((server) =>
      nodeThrough(server, async ({ operation }, send) => {
        const reply = await send()
        if (operation === 'a') passed = 5_000
        return reply
      }),
    )
    const redlock = new Redlock({ nodes, ttl: 5_000, advanced: { clock } })
    expect(await redlock.tryAcquire('key')).toMatchObject({ ok: false, reason: 'unavailable' })
    await eventually(() => {
      for (const { entries } of servers) expect(entries.has('lock:l:key')).toBe(false)
    })
  })
})

describe('an extend', () => {
  it('does not revive a lock whose validity ended while it was in progress', async () => {
    let now = 0
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const slow = nodeThrough(memoryNode({ now: () => 0 }), ({ operation }, send) => {
      if (operation === 'e') now += 700
      return send()
    })
    const lock = await new Redlock({ nodes: [slow], advanced: { clock } }).acquire('key', {
      ttl: 1000,
    })
    now = 500
    const error: unknown = await lock.extend().catch((reason: unknown) => reason)
    expect(isLockLostError(error)).toBe(true)
    expect(lock.held).toBe(false)
  })
})

describe('a node that a rival has given up', () => {
  it('is acquired once, though an extension before times out there', async () => {
    const servers = memoryNodes(3)
    const [rivals] = servers
    const expiresAt = Date.now() + 60_000
    rivals!.entries.set('lock:l:key', { value: 'rival', expiresAt })
    rivals!.entries.set('lock:f:key', { value: '1 rival', expiresAt })
    const letters: string[] = []
    let isSilent = true
    const nodes = servers.map((node, index) =>
      nodeThrough(node, async (call, send) => {
        const reply = await send()
        if (index > 0) return reply
        letters.push(call.operation)
        return call.operation === 'e' && isSilent ? hangUntilAborted(call) : reply
      }),
    )
    const work: Promise<unknown>[] = []
    const redlock = new Redlock({ nodes, nodeTimeout: 50 })
    const lock = await redlock.acquire('key', { waitUntil: (one) => void work.push(one) })
    await eventually(() => expect(letters).toEqual(['a']))
    rivals!.entries.delete('lock:l:key')
    await lock.extend()
    isSilent = false
    await lock.extend()
    await eventually(() => expect(rivals!.entries.get('lock:l:key')?.value).toBe(lock.value))
    rivals!.entries.delete('lock:l:key')
    while (work.length > 0) await work.shift()
    await Promise.resolve()
    expect(letters).toEqual(['a', 'e', 'e', 'a'])
  })
})

describe('a release', () => {
  it('also reaches the nodes that an extend has not reached yet', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => memoryNode({ name }))
    const { promise: open, resolve: unblock } = later()
    const slow = nodes.map((node) =>
      nodeThrough(node, async ({ operation }, send) => {
        if (operation === 'e' && node.name === 'b') await open
        return send()
      }),
    )
    const lock = await new Redlock({ nodes: slow, advanced: { concurrency: 1 } }).acquire('key')
    expect(nodes[2]!.entries.has('lock:l:key')).toBe(false)
    const extending = lock.extend().catch(() => 'lost')
    await lock.release()
    unblock()
    await extending
    await eventually(() => expect(nodes[2]!.entries.has(`lock:x:${lock.value}`)).toBe(true))
    expect(nodes.filter(({ entries }) => entries.has('lock:l:key'))).toEqual([])
  })
})

/** Three nodes with these counters. The last one answers once `open` is called. */
const withLateNode = (counters: readonly number[]) => {
  const servers = memoryNodes(3)
  for (const [index, { entries }] of servers.entries())
    entries.set('lock:f:key', { value: `${counters[index]} another`, expiresAt: Infinity })
  const { promise: opened, resolve: open } = later()
  const calls = vi.fn<(operation: string) => void>()
  const nodes = servers.map((server, index) =>
    nodeThrough(server, async ({ operation }, send) => {
      calls(operation)
      if (index === 2) await opened
      return send()
    }),
  )
  return { servers, nodes, calls, open }
}

describe('a lock whose last node answers after it was acquired', () => {
  it('reports the same as before, without a request', async () => {
    const soon = Date.now() + 60_000
    // The counter of the late node is higher than that of the others.
    const { servers, nodes, calls, open } = withLateNode([soon, soon, soon + 1000])
    const lock = await new Redlock({ nodes }).acquire('key', { metadata: 'me' })
    const report = async (): Promise<unknown> => {
      const { id, keys, value, metadata, held } = lock
      return { id, keys, value, metadata, held, token: await lock.fencingToken() }
    }
    const [before, end] = [await report(), lock.expiresIn]
    expect(before).toMatchObject({ held: true, token: soon + 1 })
    open()
    await eventually(() => expect(servers[2]!.entries.has('lock:l:key')).toBe(true))
    // The answer has arrived with the next task.
    await sleep(0)
    expect(await report()).toEqual(before)
    expect(lock.expiresIn).toBeLessThanOrEqual(end)
    expect(calls.mock.calls.flat()).toEqual(['a', 'a', 'a'])
    await lock.release()
  })

  it('has the token of that answer, without a request, if the others disagree', async () => {
    const soon = Date.now() + 60_000
    const { servers, nodes, calls, open } = withLateNode([soon + 1000, soon, soon + 1000])
    const lock = await new Redlock({ nodes }).acquire('key')
    open()
    await eventually(() => expect(servers[2]!.entries.has('lock:l:key')).toBe(true))
    // The answer has arrived with the next task.
    await sleep(0)
    expect(await lock.fencingToken()).toBe(soon + 1001)
    expect(calls.mock.calls.flat()).toEqual(['a', 'a', 'a'])
    await lock.release()
  })

  it('is rejected with the same answers as before if another holds it', async () => {
    const servers = memoryNodes(3)
    for (const { entries } of servers.slice(0, 2))
      entries.set('lock:l:key', { value: 'another', expiresAt: Date.now() + 60_000 })
    const { promise: opened, resolve: open } = later()
    const nodes = servers.map((server, index) =>
      nodeThrough(server, async (_, send) => {
        if (index === 2) await opened
        return send()
      }),
    )
    const result = await new Redlock({ nodes }).tryAcquire('key')
    const before = structuredClone(result)
    expect(before).toMatchObject({ ok: false, reason: 'locked', nodes: [{}, {}] })
    open()
    // Its late grant is released.
    await eventually(() =>
      expect([...servers[2]!.entries.keys()].some((key) => key.startsWith('lock:x:'))).toBe(true),
    )
    expect(result).toEqual(before)
  })
})

describe('a release whose replies are lost', () => {
  it('is told as one where the lock stood on a bare quorum, and one node answers before the other', async () => {
    const servers = memoryNodes(3)
    servers[0]!.entries.set('lock:l:key', { value: 'another', expiresAt: Date.now() + 60_000 })
    const nodes = servers.map((node, index) => {
      let isLost = false
      return nodeThrough(node, async ({ operation }, send) => {
        const reply = await send()
        if (operation !== 'r') return reply
        if (isLost) {
          await sleep(20 * index)
          return reply
        }
        isLost = true
        throw Object.assign(new Error('reset'), { retryable: true })
      })
    })
    const lock = await new Redlock({ nodes }).acquire('key')
    expect(await lock.release()).toBe('released')
  })
})

describe('the signal of a lock', () => {
  it('aborts at the end that an extend has set, even if it was read during the extend', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const { keys, value } = await redlock.acquire('key', { ttl: 3_000 })
    const adopted = adopt(redlock, { keys, value, ttl: 3_000, expiresAt: Date.now() + 3_000 })
    const extending = adopted.extend(50)
    const { signal } = adopted
    await extending
    await eventually(() => expect(adopted.held).toBe(false))
    await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 500 })
  })

  const lateLock = async () => {
    const seen: LockEvent[] = []
    let now = 0
    let releases = 0
    const nodes = memoryNodes(3).map((node) =>
      nodeThrough(node, ({ operation }, send) => {
        if (operation === 'r') releases++
        return send()
      }),
    )
    const redlock = new Redlock({
      nodes,
      advanced: { clock: { ...systemClock, wall: () => now, monotonic: () => now } },
      onEvent: (event) => void seen.push(event),
    })
    const lock = await redlock.acquire('key')
    return {
      lock,
      expire: () => void (now += 20_000),
      ended: () => seen.map(({ type }) => type).filter((type) => /lost|released/.test(type)),
      releases: () => releases,
    }
  }

  it.each([
    ['a late release', (lock: Lock) => lock.release()],
    ['an extend', (lock: Lock) => lock.extend().catch(() => {})],
    ['a request for the token', (lock: Lock) => lock.fencingToken().catch(() => {})],
  ])('releases once when %s finds the lock lost and a listener releases it', async (_, notice) => {
    const { lock, expire, ended, releases } = await lateLock()
    const { signal } = lock
    const results: Promise<string>[] = []
    signal.addEventListener('abort', () => results.push(lock.release(), lock.release()))
    expire()
    await notice(lock)
    await vi.waitFor(() => expect(signal.aborted).toBe(true), 15_000)
    const result = await lock.release()
    expect(await Promise.all(results)).toEqual([result, result])
    expect(ended()).toEqual(['lost', 'released'])
    await eventually(() => expect(releases()).toBe(3))
  })

  it('releases once when the last of two handles finds the lock lost', async () => {
    const { lock, expire, ended, releases } = await lateLock()
    const inner = lock.reenter()
    lock.signal.addEventListener('abort', () => void inner.release())
    expire()
    expect(await lock.release()).toBe('expired')
    await inner.release()
    expect(ended()).toEqual(['lost', 'released'])
    await eventually(() => expect(releases()).toBe(3))
  })

  it('releases once when a listener of events releases the lock', async () => {
    let now = 0
    const seen: string[] = []
    const held: Lock[] = []
    const redlock = new Redlock({
      nodes: memoryNodes(3),
      advanced: { clock: { ...systemClock, wall: () => now, monotonic: () => now } },
      onEvent: ({ type }) => {
        seen.push(type)
        if (type === 'lost') void held[0]!.release()
      },
    })
    held.push(await redlock.acquire('key'))
    now += 20_000
    await held[0]!.release()
    expect(seen).toEqual(['acquired', 'lost', 'released'])
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
    const redlock = new Redlock({
      nodes: [memoryNode()],
      advanced: { clock: { ...systemClock, setTimer } },
    })
    await redlock.using('key', { ttl: 60_000 }, ({ signal }) => signal.aborted)
    const lock = await redlock.acquire('key', { ttl: 60_000 })
    expect(lock.signal.aborted).toBe(false)
    expect(timers.size).toBeGreaterThan(0)
    await lock.release()
    await eventually(() => expect(timers.size).toBe(0))
  })
})
