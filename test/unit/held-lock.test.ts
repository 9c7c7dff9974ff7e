import { describe, expect, it, vi } from 'vitest'
import { isLockLostError, type LockNode, Redlock } from '../../src/index.ts'
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

describe('an extend', () => {
  it('does not revive a lock whose validity ended while it was in progress', async () => {
    let now = 0
    const clock = { ...systemClock, wall: () => now, monotonic: () => now }
    const { name, run } = memoryNode({ now: () => 0 })
    const slow: LockNode = {
      name,
      run: async (call, signal) => {
        if (call.args[0] === 'e') now += 700
        return run(call, signal)
      },
    }
    const lock = await new Redlock({ nodes: [slow], clock }).acquire('key', { ttl: 1000 })
    now = 500
    const error: unknown = await lock.extend().catch((reason: unknown) => reason)
    expect(isLockLostError(error)).toBe(true)
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
