import { describe, expect, it } from 'vitest'
import { type LockEvent, Redlock, throttle, withSlots } from '../../src/index.ts'
import { eventually } from '../support/eventually.ts'
import { slow, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { realNodes as nodes } from '../support/real-nodes.ts'

/** The events of a client, and the number of its requests. */
const observed = () => {
  const events: LockEvent[] = []
  const counts = { requests: 0 }
  const counted = nodes.map((node) =>
    withFault(node, (_, send) => {
      counts.requests++
      return send()
    }),
  )
  return { events, counts, nodes: counted, onEvent: (event: LockEvent) => void events.push(event) }
}

describe('a throttle that waits', () => {
  it('reports one call, however often it asks', async () => {
    const { events, nodes: own, onEvent } = observed()
    const redlock = withSlots(new Redlock({ nodes: own, onEvent }))
    const [key, options] = [freshKey(), { window: 3_000, limit: 1, wait: 60_000 }]
    expect((await throttle(redlock, key, options)).ok).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(['acquired'])
    events.length = 0
    expect((await throttle(redlock, key, options)).ok).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(['waiting', 'acquired'])
    const [waiting, acquired] = events as [LockEvent, LockEvent & { attempts: number }]
    expect(waiting).toMatchObject({ attempts: 1, reason: 'locked', keys: [key] })
    expect(acquired.attempts).toBeGreaterThan(1)
  })

  it('reports one rejection when it cannot pass', async () => {
    const { events, nodes: own, onEvent } = observed()
    const redlock = withSlots(new Redlock({ nodes: own, onEvent }))
    const [key, options] = [freshKey(), { window: 60_000, limit: 1 }]
    await throttle(redlock, key, options)
    events.length = 0
    const begun = performance.now()
    expect((await throttle(redlock, key, { ...options, wait: 20_000 })).ok).toBe(false)
    expect(performance.now() - begun).toBeLessThan(10_000)
    // The last node may not have the pass yet, so that the first try is undecided.
    expect(events.map(({ type }) => type).filter((type) => type !== 'waiting')).toEqual([
      'rejected',
    ])
  })

  it('sends no more requests than its budget, all tries together', async () => {
    const { counts, nodes: own } = observed()
    const key = freshKey()
    const options = { window: 1_000, limit: 1, wait: 4_500 }
    // Somebody else takes each window as soon as it opens.
    const greedy = withSlots(new Redlock({ nodes }))
    const state = { isOver: false }
    const taking = (async () => {
      while (!state.isOver) await throttle(greedy, key, { ...options, wait: 2_000 })
    })()
    await throttle(greedy, key, options)
    const budget = 4 * nodes.length
    await throttle(withSlots(new Redlock({ nodes: own, budget })), key, options)
    state.isOver = true
    await taking
    expect(counts.requests).toBeLessThanOrEqual(budget)
  })

  it('has one pass in every burst of calls with a budget', async () => {
    const budget = 10 * nodes.length
    const burst = async (): Promise<void> => {
      const key = freshKey()
      const calls = Array.from({ length: 5 }, () => {
        const uneven = nodes.map((node) => withFault(node, slow(30)))
        const redlock = withSlots(new Redlock({ nodes: uneven, budget }))
        return throttle(redlock, key, { window: 60_000, wait: 20_000 })
      })
      const passed = (await Promise.all(calls)).filter(({ ok }) => ok)
      expect(passed).toHaveLength(1)
    }
    await Promise.all(Array.from({ length: 10 }, burst))
  })

  it('does not charge a rejection from the cache to the budget', async () => {
    const [key, options] = [freshKey(), { window: 1_000, limit: 1 }]
    const other = withSlots(new Redlock({ nodes }))
    await throttle(other, key, options)
    // Now the isolate knows that the window is closed.
    expect((await throttle(other, key, options)).ok).toBe(false)
    const redlock = withSlots(new Redlock({ nodes, budget: 2 * nodes.length }))
    expect((await throttle(redlock, key, { ...options, wait: 20_000 })).ok).toBe(true)
  })

  it('passes a window that ends just before the wait does', async () => {
    const window = 300
    const options = { window, limit: 1, wait: window + 40 }
    const redlock = withSlots(new Redlock({ nodes, advanced: { random: () => 0.999 } }))
    const pass = async (): Promise<boolean> => {
      const key = freshKey()
      await throttle(redlock, key, options)
      return (await throttle(redlock, key, options)).ok
    }
    // A reply that takes long leaves no time for another try.
    await eventually(async () => expect(await pass()).toBe(true))
  })

  it('is rejected by a client without slots, which says what is missing', async () => {
    const options = { window: 1_000, wait: 1_000 }
    const waiting = throttle(new Redlock({ nodes }), 'a', options)
    await expect(waiting).rejects.toThrow('`wait` must be used with withSlots')
  })
})
