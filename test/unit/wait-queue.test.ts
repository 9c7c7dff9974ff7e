import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RetryState } from '../../src/core/retry/retry.ts'
import { Redlock, withKeyNames } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { systemClock } from '../../src/util/clock.ts'

afterEach(() => void vi.useRealTimers())

describe('a crowd that waits for one key in one process', () => {
  const setUp = async (waiters: number, wait: number) => {
    vi.useFakeTimers()
    let timers = 0
    const clock: typeof systemClock = {
      ...systemClock,
      setTimer: (callback, delay) => (timers++, systemClock.setTimer(callback, delay)),
    }
    const nodes = memoryNodes(3)
    const holder = await new Redlock({ nodes, ttl: 60_000 }).acquire('key')
    const redlock = new Redlock({ nodes, advanced: { clock }, localQueue: true })
    const order: number[] = []
    const calls = Array.from({ length: waiters }, async (_, index) => {
      const result = await redlock.acquire('key', { wait }).catch(() => undefined)
      if (result) order.push(index)
      await result?.release()
      return result !== undefined
    })
    return { calls, holder, order, timers: () => timers }
  }

  it('sleeps until its turn comes', async () => {
    const { calls, holder, order, timers } = await setUp(200, 30_000)
    await vi.advanceTimersByTimeAsync(1000)
    const before = timers()
    await vi.advanceTimersByTimeAsync(10_000)
    // Those of the first in the queue: 200 that look every 30 to 230 ms would set 15,000.
    expect(timers() - before).toBeLessThan(1000)
    await holder.release()
    await vi.advanceTimersByTimeAsync(20_000)
    expect((await Promise.all(calls)).every(Boolean)).toBe(true)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
  })

  it('goes on if the first in the queue gives up', async () => {
    vi.useFakeTimers()
    const nodes = memoryNodes(3)
    const holder = await new Redlock({ nodes, ttl: 60_000 }).acquire('key')
    const redlock = new Redlock({ nodes, localQueue: true })
    const controller = new AbortController()
    const first = redlock.acquire('key', { wait: 30_000, signal: controller.signal })
    const second = redlock.acquire('key', { wait: 30_000 })
    first.catch(() => {})
    await vi.advanceTimersByTimeAsync(500)
    controller.abort()
    await expect(first).rejects.toThrow('aborted')
    // Another process releases it, so that nobody here is told.
    await holder.release()
    await vi.advanceTimersByTimeAsync(600)
    expect((await second).held).toBe(true)
  })

  it('ends in time if the lock stays taken', async () => {
    const { calls } = await setUp(50, 5000)
    await vi.advanceTimersByTimeAsync(5200)
    expect((await Promise.all(calls)).some(Boolean)).toBe(false)
  })
})

describe('the wait queue of a key', () => {
  it('is not shared by the keys ["a", "b"] and "a,b"', async () => {
    const nodes = memoryNodes(3)
    const held = await new Redlock({ nodes }).acquire('a')
    const redlock = new Redlock({ nodes, localQueue: true })
    const both = redlock.acquire(['a', 'b'], { wait: 60_000 })
    const lock = await redlock.acquire('a,b', { wait: 60_000 })
    expect(await lock.release()).toBe('released')
    await held.release()
    await (await both).release()
  })

  it('does not report an outage that only another waiter has met', async () => {
    vi.useFakeTimers()
    const nodes = memoryNodes(3)
    for (const node of nodes) node.fail()
    const redlock = new Redlock({ nodes, localQueue: true, warnings: false })
    // After three attempts it asks again only long after the second call.
    let attempts = 0
    const retry = ({ attempt }: RetryState): number => {
      attempts = attempt
      return attempt < 3 ? 10 : 60_000
    }
    const first = redlock.acquire('key', { wait: 120_000, retry })
    await vi.advanceTimersByTimeAsync(100)
    expect(attempts).toBe(3)
    for (const node of nodes) node.recover()
    const second = redlock.acquire('key', { wait: 2_000 })
    await vi.advanceTimersByTimeAsync(2_000)
    await (await second).release()
    await (await first).release()
  })
})

it('does not let keys wait for keys that have another name on the nodes', async () => {
  const nodes = memoryNodes(3)
  const events: string[] = []
  const plain = new Redlock({
    nodes,
    localQueue: true,
    onEvent: ({ type }) => void events.push(type),
  })
  const named = withKeyNames(plain, (key) => `mutex:${key}`)
  const holder = await plain.acquire('report')
  const retry = { delay: 5, maxDelay: 5 }
  const waiting = plain.acquire('report', { wait: 5_000, retry })
  await vi.waitFor(() => expect(events).toContain('waiting'))
  const lock = await named.acquire('report', { retry: { ...retry, attempts: 10 } })
  await Promise.all([lock.release(), holder.release()])
  await (await waiting).release()
})
