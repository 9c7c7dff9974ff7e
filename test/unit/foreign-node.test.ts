import { describe, expect, it } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { type LockNode, Redlock, throttle, withSlots } from '../../src/index.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// The first node has a key of another program that never expires. Like a node that is down, it never grants the lock,
// so it decides nothing: neither who leads a split vote, nor what a frugal call is told.

const data = { value: 'of another program', expiresAt: Infinity }

const setUp = (count: number, keys: readonly string[]): MemoryNode[] => {
  const nodes = memoryNodes(count)
  for (const key of keys) nodes[0]!.entries.set(key, data)
  return nodes
}

/** The same nodes for one client, whose requests take a few ms, which differ. */
const distant = (nodes: readonly MemoryNode[], random: () => number): LockNode[] =>
  nodes.map((node) =>
    nodeThrough(node, async (_, send) => {
      await new Promise((resolve) => setTimeout(resolve, 1 + 7 * random()))
      return send()
    }),
  )

const bursts = 30

/** Counts the bursts of two calls that one of them wins. */
const countWon = async (
  burst: (clients: (() => Redlock)[]) => Promise<{ readonly ok: boolean }[]>,
  count: number,
  keys: readonly string[],
): Promise<number> => {
  const won = await Promise.all(
    Array.from({ length: bursts }, async () => {
      const nodes = setUp(count, keys)
      const client = (): Redlock =>
        new Redlock({ nodes: distant(nodes, Math.random), ttl: 2_000, warnings: false })
      const results = await burst([client, client])
      return results.filter(({ ok }) => ok).length
    }),
  )
  return won.filter((winners) => winners === 1).length
}

describe.each([3, 5])('among %s nodes', (count) => {
  it('one of two simultaneous calls acquires the lock', async () => {
    const won = await countWon(
      (clients) => Promise.all(clients.map((client) => client().tryAcquire('k'))),
      count,
      ['lock:l:k'],
    )
    expect(won).toBeGreaterThanOrEqual(0.8 * bursts)
  })

  it('one of two simultaneous calls passes a throttle', async () => {
    const won = await countWon(
      (clients) => Promise.all(clients.map((client) => throttle(client(), 'k', { window: 2_000 }))),
      count,
      ['lock:t:k'],
    )
    expect(won).toBeGreaterThanOrEqual(0.8 * bursts)
  })

  it.each([
    ['has data in every slot', ['lock:l:k#1', 'lock:l:k#2']],
    ['has data in the slot that is free elsewhere', ['lock:l:k#1']],
  ])('one of two simultaneous calls acquires the last slot if a node %s', async (_, keys) => {
    const won = await countWon(
      async (clients) => {
        const [one, two] = clients.map((client) => withSlots(client()))
        // The other slot is taken.
        const first = await one!.acquire('k', { limit: 2 })
        expect(first.held).toBe(true)
        return Promise.all([one!, two!].map((each) => each.tryAcquire('k', { limit: 2 })))
      },
      count,
      keys,
    )
    expect(won).toBeGreaterThanOrEqual(0.8 * bursts)
  })
})

describe.each(['parallel', 'frugal'] as const)('with the strategy %s', (strategy) => {
  const options = { ttl: 2_000, warnings: false, strategy }

  it('a free lock is acquired', async () => {
    const redlock = new Redlock({ nodes: setUp(3, ['lock:l:k']), ...options })
    for (let call = 0; call < 3; call++) {
      const result = await redlock.tryAcquire('k')
      expect(result).toMatchObject({ ok: true })
      if (result.ok) expect(await result.lock.release()).toBe('released')
    }
  })

  it('a throttle lets a call pass', async () => {
    const redlock = new Redlock({ nodes: setUp(3, ['lock:t:k']), ...options })
    expect(await throttle(redlock, 'k', { window: 5_000 })).toMatchObject({ ok: true })
    expect(await throttle(redlock, 'k', { window: 5_000 })).toMatchObject({ ok: false })
  })

  it('a free slot is acquired', async () => {
    const nodes = setUp(3, ['lock:l:k#1', 'lock:l:k#2'])
    const redlock = withSlots(new Redlock({ nodes, ...options }))
    const lock = await redlock.acquire('k', { limit: 2, retry: { attempts: 1 } })
    expect(await lock.release()).toBe('released')
  })

  it('a function runs once', async () => {
    const redlock = new Redlock({ nodes: setUp(3, ['lock:r:once:k']), ...options })
    let runs = 0
    const run = () => once(redlock, 'k', { keepFor: 60_000 }, () => ++runs)
    expect(await run()).toBe(1)
    expect(await run()).toBe(1)
  })

  it('the holder of the others is named', async () => {
    const nodes = setUp(3, ['lock:l:k'])
    const lock = await new Redlock({ nodes, ...options }).acquire('k')
    const result = await new Redlock({ nodes, ...options }).tryAcquire('k')
    expect(result).toMatchObject({ ok: false, reason: 'locked' })
    if (result.ok) expect.fail('it is held')
    expect(result.nodes.map(({ holder }) => holder)).toContain(lock.id)
    expect(result.retryAfter).toBeLessThanOrEqual(2_000)
  })
})
