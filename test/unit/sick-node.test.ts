import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isLockedError,
  type LockEvent,
  type LockNode,
  Redlock,
  type RedlockOptions,
} from '../../src/index.ts'
import { type MemoryNode, memoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { delayBoth, hangUntilAborted, sleep as pause } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// A node that hangs or is slow, while several clients want the same lock. Time is virtual, so that the
// figures depend on the protocol and not on the machine.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const near = (): number => 3 + 7 * Math.random()

/** The node at a distance, with the ms of each direction. Each client may have its own distance. */
const far = (node: LockNode, there: () => number = near, back: () => number = there): LockNode =>
  nodeThrough(node, delayBoth(there, back))

/** The node never answers. */
const hung = (node: LockNode): LockNode => nodeThrough(node, hangUntilAborted)

/** Near nodes, of which those with these ranks hang. */
const withHung = (servers: readonly MemoryNode[], ...ranks: readonly number[]): LockNode[] =>
  servers.map((node, rank) => (ranks.includes(rank) ? hung(node) : far(node)))

/** Advances the virtual time until the work is done. */
const time = async <T>(work: Promise<T>): Promise<[T, took: number]> => {
  const begun = Date.now()
  const state = { took: -1 }
  const timed = work.finally(() => (state.took = Date.now() - begun))
  timed.catch(() => {})
  while (state.took < 0 && Date.now() - begun < 60_000) {
    if (vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
    else await vi.advanceTimersByTimeAsync(1)
  }
  return [await timed, state.took]
}

describe('a lock that a majority still holds', () => {
  const runTrials = async (ttl: number, trials: number, options: Partial<RedlockOptions> = {}) => {
    let [overlaps, lost, ran] = [0, 0, 0]
    const onEvent = ({ type }: LockEvent): void => void (type === 'lost' && lost++)
    const trial = async (sick: number): Promise<void> => {
      const servers = memoryNodes(3)
      let inside = 0
      const runClient = async (): Promise<void> => {
        const nodes = withHung(servers, sick)
        const redlock = new Redlock({ nodes, ttl, onEvent, ...options })
        const work = async (): Promise<void> => {
          ran++
          if (++inside > 1) overlaps++
          await pause(2 * ttl)
          inside--
        }
        await redlock.using('key', { wait: 0 }, work).catch((error: unknown) => {
          if (!isLockedError(error)) throw error
        })
      }
      await Promise.all([runClient(), runClient()])
    }
    const all = Promise.all(Array.from({ length: trials }, (_, index) => trial(index % 3)))
    await time(all)
    return { overlaps, lost, ran }
  }

  it.each([1000, 500])('is extended in time, with a ttl of %d ms', async (ttl) => {
    expect(await runTrials(ttl, 60)).toEqual({ overlaps: 0, lost: 0, ran: 60 })
  })

  it.each([0.2, 0.5])('is extended in time, with a drift factor of %d', async (driftFactor) => {
    expect(await runTrials(1000, 20, { advanced: { driftFactor } })).toEqual({
      overlaps: 0,
      lost: 0,
      ran: 20,
    })
  })
})

describe('a lock that is extended', () => {
  it.each([1000, 4000])(
    'is kept while hung nodes occupy all turns, with a ttl of %d ms',
    async (ttl) => {
      const nodes = withHung(memoryNodes(11), 0, 1, 2, 3, 4)
      const lost = vi.fn()
      const redlock = new Redlock({ nodes, ttl, onEvent: ({ type }) => type === 'lost' && lost() })
      await time(redlock.using('key', {}, () => pause(3 * ttl)))
      expect(lost).not.toHaveBeenCalled()
    },
  )

  it.each([1000, 3000, 10_000])(
    'is kept while requests are lost, with a ttl of %d ms',
    async (ttl) => {
      const nodes = withHung(memoryNodes(3), 0)
      let extensions = 0
      // Every other extension is lost.
      const isLost = (operation: string): boolean => operation === 'e' && extensions++ % 2 === 0
      nodes[1] = nodeThrough(nodes[1]!, (call, send) =>
        isLost(call.operation) ? hangUntilAborted(call) : send(),
      )
      const lost = vi.fn()
      const redlock = new Redlock({ nodes, ttl, onEvent: ({ type }) => type === 'lost' && lost() })
      await time(redlock.using('key', {}, () => pause(3 * ttl)))
      expect(lost).not.toHaveBeenCalled()
      expect(extensions).toBeGreaterThan(6)
    },
  )
})

describe('a crowd that waits, with a hung node', () => {
  it.each([
    [3, 0],
    [3, 1],
    [5, 0],
  ])('is served: %d nodes, rank %d', async (count, rank) => {
    for (let round = 0; round < 5; round++) {
      const servers = memoryNodes(count)
      const visit = async (): Promise<void> => {
        const redlock = new Redlock({ nodes: withHung(servers, rank), ttl: 60_000 })
        const lock = await redlock.acquire('key', { wait: 10_000 })
        await pause(20)
        await lock.release()
      }
      const [outcomes] = await time(Promise.allSettled(Array.from({ length: 10 }, visit)))
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    }
  })
})

describe('a majority that hangs for a while', () => {
  it.each([1000, 6000, 15_000])('does not cost a lock of %d ms', async (ttl) => {
    // The outage begins just before the first extension, and leaves a fifth of the ttl.
    const [begin, end] = [0.3 * ttl, 0.8 * ttl]
    const begun = Date.now()
    const isOut = (): boolean => Date.now() - begun > begin && Date.now() - begun < end
    const nodes = memoryNodes(3).map((node) =>
      nodeThrough(node, (call, send) => (isOut() ? hangUntilAborted(call) : send())),
    )
    const lost = vi.fn()
    const redlock = new Redlock({ nodes, ttl, onEvent: ({ type }) => type === 'lost' && lost() })
    await time(redlock.using('key', {}, () => pause(2 * ttl)))
    expect(lost).not.toHaveBeenCalled()
  })
})

describe('healthy nodes at different distances', () => {
  it.each([
    ['parallel', 0],
    ['parallel', 1],
    ['frugal', 1],
  ] as const)(
    'grant a lock although a crashed client holds one near node, %s, rank %d',
    async (strategy, rank) => {
      const servers = memoryNodes(3)
      await new Redlock({ nodes: [servers[rank]!], ttl: 60_000 }).acquire('key')
      const delays = [5, 5, 50]
      const nodes = servers.map((node, index) => far(node, () => delays[index]!))
      const [result, took] = await time(new Redlock({ nodes, strategy }).tryAcquire('key'))
      expect(result.ok).toBe(true)
      expect(took).toBeLessThan(1000)
    },
  )

  it('have one winner per burst but for rare ones, and all calls settle within 5 s', async () => {
    let winners = 0
    for (let burst = 0; burst < 20; burst++) {
      const servers = memoryNodes(5)
      const clients = Array.from({ length: 5 }, () => {
        const nodes = servers.map((node) => far(node, () => 1 + 59 * Math.random()))
        return new Redlock({ nodes })
      })
      const [results, took] = await time(
        Promise.all(clients.map((client) => client.tryAcquire('key'))),
      )
      const count = results.filter(({ ok }) => ok).length
      expect(count).toBeLessThanOrEqual(1)
      winners += count
      expect(took).toBeLessThan(5000)
    }
    // Each request takes another time, up to 60 times as long as the one before.
    expect(winners).toBeGreaterThanOrEqual(19)
  })
})

describe('a lock that another client holds', () => {
  it.each([1, 2, 5])(
    'is rejected within a second, with a hung node and a concurrency of %d',
    async (concurrency) => {
      const servers = memoryNodes(5)
      await new Redlock({ nodes: servers.slice(2) }).acquire('key')
      const redlock = new Redlock({ nodes: withHung(servers, 0), advanced: { concurrency } })
      const [result, took] = await time(redlock.tryAcquire('key'))
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      expect(took).toBeLessThan(1000)
    },
  )
})

describe('a burst with a hung node', () => {
  it.each([0, 2, 4])('has a winner without waiting for that node, rank %d', async (rank) => {
    const took: number[] = []
    for (let burst = 0; burst < 20; burst++) {
      const servers = memoryNodes(5)
      const clients = Array.from(
        { length: 5 },
        () => new Redlock({ nodes: withHung(servers, rank) }),
      )
      const asked = clients.map((client) => client.tryAcquire('key'))
      const [won, first] = await time(
        Promise.any(asked.map(async (one) => ((await one).ok ? 'won' : Promise.reject()))),
      )
      expect(won).toBe('won')
      took.push(first)
      const [results] = await time(Promise.all(asked))
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    }
    // The timeout of a node is 2,000 ms.
    expect(Math.max(...took)).toBeLessThan(400)
  })
})

describe('a hung majority', () => {
  it.each([
    ['parallel', 5, [0, 2, 4]],
    ['frugal', 5, [0, 2, 4]],
    ['parallel', 11, [0, 1, 2, 3, 4, 5]],
  ] as const)('is reported within 2.5 s, %s, %d nodes', async (strategy, count, ranks) => {
    const nodes = withHung(memoryNodes(count), ...ranks)
    const redlock = new Redlock({ nodes, strategy })
    const [result, took] = await time(redlock.tryAcquire('key'))
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
    expect(took).toBeLessThanOrEqual(2_500)
    expect(took).toBeGreaterThan(1_500)
  })
})

describe('a first node that answers late', () => {
  it('does not decide alone once the other nodes have been asked', async () => {
    const servers = ['a', 'b', 'c'].map((name) => memoryNode({ name }))
    const client = (strategy: 'parallel' | 'frugal', delays: [there: number, back: number][]) =>
      new Redlock({
        strategy,
        nodes: servers.map((node, index) =>
          far(
            node,
            ...(delays[index]!.map((delay) => () => delay) as [() => number, () => number]),
          ),
        ),
      })
    // The frugal client asks b and c after 250 ms, and their grants arrive after the rejection of a. By
    // then b and c have rejected the holder of a, which yields.
    const frugal = client('frugal', [
      [100, 156],
      [2, 6],
      [2, 6],
    ])
    const parallel = client('parallel', [
      [5, 1],
      [163, 1],
      [163, 1],
    ])
    const asked = Promise.all([
      frugal.tryAcquire('key'),
      pause(90).then(() => parallel.tryAcquire('key')),
    ])
    const [[first, second]] = await time(asked)
    expect([first.ok, second.ok]).toEqual([true, false])
  })
})
