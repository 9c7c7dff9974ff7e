import { describe, expect, it, vi } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import { memoryNode, memoryNodes } from '../../src/testing/index.ts'
import { systemClock } from '../../src/util/clock.ts'

// Edge cases of a held lock.

describe('a nested handle', () => {
  it('that is reentered needs one more release', async () => {
    const lock = await new Redlock({ nodes: memoryNodes(3) }).acquire('key')
    const nested = lock.nest()
    const again = nested.reenter()
    await again.release()
    await nested.release()
    await nested.release()
    expect(lock.held).toBe(true)
    expect(await lock.release()).toBe('released')
    expect(lock.held).toBe(false)
  })
})

describe('a release', () => {
  it('also reaches the nodes that an extend has not reached yet', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => memoryNode({ name }))
    let unblock!: () => void
    const open = new Promise<void>((resolve) => (unblock = resolve))
    const slow = nodes.map((node): LockNode => ({
      name: node.name,
      run: async (call, signal) => {
        if (call.args[0] === 'e' && node.name === 'b') await open
        return node.run(call, signal)
      },
    }))
    const lock = await new Redlock({ nodes: slow, concurrency: 1 }).acquire('key')
    expect(nodes[2]!.entries.has('lock:l:key')).toBe(false)
    const extending = lock.extend().catch(() => 'lost')
    await lock.release()
    unblock()
    await extending
    await vi.waitFor(() => expect(nodes[2]!.entries.has(`lock:x:${lock.value}`)).toBe(true))
    expect(nodes.filter(({ entries }) => entries.has('lock:l:key'))).toEqual([])
  })
})

describe('the signal of a lock', () => {
  it('aborts at the end that an extend has set, even if it was read during the extend', async () => {
    const redlock = new Redlock({ nodes: memoryNodes(3) })
    const { keys, value } = await redlock.acquire('key', { ttl: 3_000 })
    const adopted = redlock.adopt({ keys, value, ttl: 3_000, expiresAt: Date.now() + 3_000 })
    const extending = adopted.extend(50)
    const { signal } = adopted
    await extending
    await vi.waitFor(() => expect(adopted.held).toBe(false))
    await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 500 })
  })

  it('reports the loss once, even if a listener releases the lock', async () => {
    const seen: string[] = []
    let now = 0
    const redlock = new Redlock({
      nodes: memoryNodes(3),
      clock: { ...systemClock, wall: () => now, monotonic: () => now },
      onEvent: ({ type }) => void seen.push(type),
    })
    const lock = await redlock.acquire('key')
    lock.signal.addEventListener('abort', () => void lock.release())
    now += 20_000
    await expect(lock.extend()).rejects.toThrow('Lost')
    await vi.waitFor(() => expect(seen).toContain('released'))
    expect(seen.filter((type) => type === 'lost')).toHaveLength(1)
  })
})

describe('a throttle window that only the first node has reported', () => {
  it('is requested again after a second, since its holder may have failed to get a quorum', async () => {
    let now = 1_800_000_000_000
    const nodes = ['a', 'b', 'c'].map((name) => memoryNode({ name, now: () => now }))
    const scoped = nodes.map((node): LockNode => ({
      name: node.name,
      scope: `scope of ${node.name}`,
      run: (call, signal) => node.run(call, signal),
    }))
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const redlock = new Redlock({ nodes: scoped, strategy: 'frugal', clock })
    const window = 3_600_000
    const ask = async (): Promise<boolean> => (await redlock.throttle('key', { window })).ok
    nodes[0]!.entries.set('lock:t:key', { value: 'somebody else', expiresAt: now + window })
    expect(await ask()).toBe(false)
    now += 1_200
    expect(await ask()).toBe(false)
    // The holder got no quorum, and has released the node.
    nodes[0]!.entries.clear()
    now += 1_200
    expect(await ask()).toBe(true)
  })
})
