import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  isLockedError,
  type LockEvent,
  type LockNode,
  Redlock,
  type RedlockOptions,
} from '../../src/index.ts'
import { type MemoryNode, memoryNode, memoryNodes } from '../../src/testing/index.ts'

// A node that hangs or is slow, together with others who want the same lock. Time is virtual, so
// that figures are of the protocol and not of the machine.

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pause = (delay: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delay))

const near = (): number => 3 + 7 * Math.random()

/** The node at a distance: how many ms each way takes. A client of its own has a way of its own. */
const far = (
  { name, run }: LockNode,
  there: () => number = near,
  back: () => number = there,
): LockNode => ({
  name,
  run: async (call, signal) => {
    await pause(there())
    const reply = await run(call, signal)
    await pause(back())
    return reply
  },
})

/** Nothing ever comes back. */
const hung = ({ name }: LockNode): LockNode => ({
  name,
  run: (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    }),
})

/** Nodes near by, of which those with these ranks hang. */
const withHung = (servers: readonly MemoryNode[], ...ranks: readonly number[]): LockNode[] =>
  servers.map((node, rank) => (ranks.includes(rank) ? hung(node) : far(node)))

/** Lets time pass until that is done. */
const time = async <T>(work: Promise<T>): Promise<[T, took: number]> => {
  const begun = Date.now()
  const state = { took: -1 }
  const timed = work.finally(() => (state.took = Date.now() - begun))
  timed.catch(() => {})
  while (state.took < 0 && Date.now() - begun < 60_000) await vi.advanceTimersByTimeAsync(1)
  return [await timed, state.took]
}

describe('a lock that a majority still holds', () => {
  const play = async (ttl: number, trials: number, options: Partial<RedlockOptions> = {}) => {
    let [overlaps, lost, ran] = [0, 0, 0]
    const onEvent = ({ type }: LockEvent): void => void (type === 'lost' && lost++)
    const trial = async (sick: number): Promise<void> => {
      const servers = memoryNodes(3)
      let inside = 0
      const visit = async (): Promise<void> => {
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
      await Promise.all([visit(), visit()])
    }
    const all = Promise.all(Array.from({ length: trials }, (_, index) => trial(index % 3)))
    await time(all)
    return { overlaps, lost, ran }
  }

  it.each([1000, 500])('is extended in time, with a ttl of %d ms', async (ttl) => {
    expect(await play(ttl, 200)).toEqual({ overlaps: 0, lost: 0, ran: 200 })
  })

  it.each([0.7, 0.9])('is extended in time, with a drift factor of %d', async (driftFactor) => {
    expect(await play(1000, 20, { driftFactor })).toEqual({ overlaps: 0, lost: 0, ran: 20 })
  })
})

describe('a lock that is extended', () => {
  it.each([1000, 4000])('is kept while hung nodes take all turns, ttl %d', async (ttl) => {
    const nodes = withHung(memoryNodes(11), 0, 1, 2, 3, 4)
    const lost = vi.fn()
    const redlock = new Redlock({ nodes, ttl, onEvent: ({ type }) => type === 'lost' && lost() })
    await time(redlock.using('key', {}, () => pause(3 * ttl)))
    expect(lost).not.toHaveBeenCalled()
  })

  it.each([1000, 3000, 10_000])('is kept while requests get lost, ttl %d', async (ttl) => {
    const nodes = withHung(memoryNodes(3), 0)
    let extensions = 0
    const { name, run } = nodes[1]!
    // Every other extension never arrives.
    const isLost = (operation: string): boolean => operation === 'e' && extensions++ % 2 === 0
    nodes[1] = {
      name,
      run: (call, signal) =>
        isLost(call.args[0]) ? hung(nodes[0]!).run(call, signal) : run(call, signal),
    }
    const lost = vi.fn()
    const redlock = new Redlock({ nodes, ttl, onEvent: ({ type }) => type === 'lost' && lost() })
    await time(redlock.using('key', {}, () => pause(3 * ttl)))
    expect(lost).not.toHaveBeenCalled()
    expect(extensions).toBeGreaterThan(6)
  })
})

describe('nodes that are all well, but far from each other', () => {
  it.each([
    ['parallel', 0],
    ['parallel', 1],
    ['frugal', 1],
  ] as const)(
    'grant a lock although one near node is held by the dead, %s, rank %d',
    async (strategy, rank) => {
      const servers = memoryNodes(3)
      await new Redlock({ nodes: [servers[rank]!], ttl: 60_000 }).acquire('key')
      const ways = [5, 5, 50]
      const nodes = servers.map((node, index) => far(node, () => ways[index]!))
      const [result, took] = await time(new Redlock({ nodes, strategy }).tryAcquire('key'))
      expect(result.ok).toBe(true)
      expect(took).toBeLessThan(1000)
    },
  )

  it('have one winner, and everyone else is told soon', async () => {
    for (let burst = 0; burst < 20; burst++) {
      const servers = memoryNodes(5)
      const clients = Array.from({ length: 5 }, () => {
        const nodes = servers.map((node) => far(node, () => 1 + 59 * Math.random()))
        return new Redlock({ nodes })
      })
      const [results, took] = await time(
        Promise.all(clients.map((client) => client.tryAcquire('key'))),
      )
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      expect(took).toBeLessThan(5000)
    }
  })
})

describe('a rival that holds the lock', () => {
  it.each([1, 2, 5])(
    'is found soon, with a node that hangs and %d at a time',
    async (concurrency) => {
      const servers = memoryNodes(5)
      await new Redlock({ nodes: servers.slice(2) }).acquire('key')
      const redlock = new Redlock({ nodes: withHung(servers, 0), concurrency })
      const [result, took] = await time(redlock.tryAcquire('key'))
      expect(result).toMatchObject({ ok: false, reason: 'locked' })
      expect(took).toBeLessThan(1000)
    },
  )
})

describe('a burst with a node that hangs', () => {
  it.each([0, 2, 4])('has its winner without waiting for it, rank %d', async (rank) => {
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
    // A node's timeout is 2,000 ms.
    expect(Math.max(...took)).toBeLessThan(400)
  })
})

describe('a majority that hangs', () => {
  it.each([
    ['parallel', 5, [0, 2, 4]],
    ['frugal', 5, [0, 2, 4]],
    ['parallel', 11, [0, 1, 2, 3, 4, 5]],
  ] as const)('is told in 2.5 s, %s, %d nodes', async (strategy, count, ranks) => {
    const nodes = withHung(memoryNodes(count), ...ranks)
    const redlock = new Redlock({ nodes, strategy })
    const [result, took] = await time(redlock.tryAcquire('key'))
    expect(result).toMatchObject({ ok: false, reason: 'unavailable' })
    expect(took).toBeLessThanOrEqual(2_500)
    expect(took).toBeGreaterThan(1_500)
  })
})

describe('a first node that answers late', () => {
  it('does not refuse on its own who has asked the others as well', async () => {
    const servers = ['a', 'b', 'c'].map((name) => memoryNode({ name }))
    const client = (strategy: 'parallel' | 'frugal', ways: [there: number, back: number][]) =>
      new Redlock({
        strategy,
        nodes: servers.map((node, index) =>
          far(node, ...(ways[index]!.map((way) => () => way) as [() => number, () => number])),
        ),
      })
    // The frugal client asks b and c after 250 ms, whose grants arrive after a's refusal. By then the
    // holder of a has been refused by b and c, and gives way.
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
