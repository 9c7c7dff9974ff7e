import { describe, expect, it } from 'vitest'
import { Redlock, type RedlockOptions, withWakeUp } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { command, freshKey } from '../support/nodes.ts'
import { counting, firstOf, longTtl, never, over, untilListening, untilQueued } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

// Waiters over real Redis servers behind the gateway, which streams.

const nodes = realNodes.slice(0, 3)

const client = (options: Partial<RedlockOptions> = {}): Redlock =>
  withWakeUp(new Redlock({ nodes, retry: never, ...options }))

describe('withWakeUp', () => {
  it('wakes a waiter of another client when the lock is released', async () => {
    const key = freshKey()
    const held = await client().acquire(key, { ttl: longTtl })
    const { counts, nodes: counted } = counting(nodes)
    const waiting = client({ nodes: counted }).acquire(key, { wait: 50_000 })
    await untilQueued(nodes, key, 1)
    await held.release()
    const lock = await waiting
    expect(lock.held).toBe(true)
    await lock.release()
    expect(counts.opened).toBe(1)
    await eventually(() => expect(counts.ended).toBe(1))
  })

  it('hands a lock from one to the next of ten clients, in the order of their calls', async () => {
    const key = freshKey()
    const held = await client().acquire(key, { ttl: longTtl })
    const order: number[] = []
    const turn = async (index: number): Promise<void> => {
      const lock = await client().acquire(key, { wait: 50_000 })
      order.push(index)
      await lock.release()
    }
    const all: Promise<void>[] = []
    for (let index = 0; index < 10; index++) {
      all.push(turn(index))
      await untilQueued(nodes, key, index + 1)
    }
    await held.release()
    await Promise.all(all)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('costs no request more where nobody waits', async () => {
    for (const wrap of [withWakeUp, (one: Redlock) => one]) {
      const { counts, nodes: counted } = counting(nodes)
      const redlock = wrap(new Redlock({ nodes: counted }))
      await (await redlock.acquire(freshKey(), { wait: 1_000 })).release()
      expect(counts.requests).toBe(6)
      expect(counts.opened).toBe(0)
    }
  })

  it('passes on a wake-up whose waiter has vanished', async () => {
    const key = freshKey()
    const held = await client().acquire(key, { ttl: longTtl })
    let isDead = false
    const dying = over(nodes, (_, send) => (isDead ? new Promise(() => {}) : send()))
    const dead = new AbortController()
    const vanished = client({ nodes: dying })
      .acquire(key, { wait: 50_000, signal: dead.signal })
      .catch(() => {})
    await untilQueued(nodes, key, 1)
    const waiting = client().acquire(key, { wait: 50_000 })
    await untilQueued(nodes, key, 2)
    // Its stream closes, and its place in the queue remains.
    isDead = true
    dead.abort()
    await vanished
    await untilListening(nodes, key, 1)
    await untilQueued(nodes, key, 2)
    await held.release()
    expect(await (await waiting).release()).toBe('released')
  })

  it('looks again after a while where a message is lost', async () => {
    const key = freshKey()
    // A client without wake-up wakes nobody.
    const held = await new Redlock({ nodes }).acquire(key, { ttl: longTtl })
    const waiting = client({ retry: { delay: 20, maxDelay: 40 } }).acquire(key, { wait: 50_000 })
    await untilQueued(nodes, key, 1)
    await held.release()
    expect(await (await waiting).release()).toBe('released')
  })

  it('asks about as often as without it where only the first node has lost the lock', async () => {
    const key = freshKey()
    const held = await client().acquire(key, { ttl: longTtl })
    await eventually(async () => {
      const found = (await command(firstOf(nodes), 'KEYS', `*${key}*`)) as string[]
      expect(await command(firstOf(nodes), 'DEL', ...found)).toBe(2)
    })
    const counts: number[] = []
    for (const wrap of [(one: Redlock) => one, withWakeUp]) {
      const { counts: own, nodes: counted } = counting(nodes)
      const retry = { delay: 100, maxDelay: 101 }
      const redlock = wrap(new Redlock({ nodes: counted, retry }))
      // The last try may be cut off before it knows the holder.
      await expect(redlock.acquire(key, { wait: 1_500 })).rejects.toThrow(`The lock on ["${key}"]`)
      counts.push(own.requests)
    }
    // Without a limit on vain wake-ups it asks 20 times as often.
    expect(counts[1]).toBeLessThan(4 * counts[0]!)
    await held.release()
  })

  it('rejects something else than a Redlock', () => {
    expect(() => withWakeUp({} as Redlock)).toThrow('redlock')
  })
})
