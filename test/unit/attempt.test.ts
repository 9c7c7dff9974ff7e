import { describe, expect, it, vi } from 'vitest'
import { isLockLostError, type LockNode, Redlock, type ScriptCall } from '../../src/index.ts'
import { systemClock } from '../../src/clock.ts'
import { type MemoryNode, memoryNode } from '../../src/testing/index.ts'

// What depends on the order of things, on nodes in memory whose ranks are known.

/** The node, with a word before each call. */
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
  it('is led by the holder of the lowest node: it keeps that and asks again with the same value', async () => {
    const [low, high] = [memoryNode({ name: 'a' }), memoryNode({ name: 'b' })]
    const values: string[] = []
    let kept: string | undefined
    const asked = watched(high, ({ args: [operation, value] }) => {
      if (operation !== 'a' || values.push(value) < 3) return
      kept = low.entries.get('lock:l:key')?.value
      high.entries.delete('lock:l:key')
    })
    rival(high, 'rival')
    const result = await new Redlock({ nodes: [asked, low] }).tryAcquire('key')
    expect(result).toMatchObject({ ok: true })
    expect(kept).toBe(values[0])
    expect(new Set(values).size).toBe(1)
  })

  it('is left by everyone else, who ask again with another value until they see a winner', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => memoryNode({ name })) as [
      MemoryNode,
      MemoryNode,
      MemoryNode,
    ]
    rival(a, 'one rival')
    rival(b, 'another rival')
    const values = new Set<string>()
    const yielding = watched(c, ({ args: [operation, value] }) => {
      values.add(value)
      if (operation !== 'r') return
      // Both rivals give way as well.
      a.entries.delete('lock:l:key')
      b.entries.delete('lock:l:key')
    })
    const result = await new Redlock({ nodes: [a, b, yielding] }).tryAcquire('key')
    expect(result).toMatchObject({ ok: true })
    expect(values.size).toBe(2)
  })
})

describe('an extend', () => {
  it('does not revive a lock whose validity ended while it was under way', async () => {
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
  it('are gone when a lock is released, however it was held', async () => {
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
