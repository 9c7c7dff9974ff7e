import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { bursts, processes } from '../../verification/chaos/campaign/settings.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import { plansOf } from '../../verification/chaos/clients/bursts.ts'
import { burst, clean, faultOf, found, historyOf, steps } from './histories.ts'

const verdict = (events: readonly HistoryEvent[]): ReturnType<typeof check> =>
  check(historyOf([...clean.events, ...events], clean.stores))

const hang = (nodes: number[], from: number, until: number): HistoryEvent[] =>
  faultOf({ kind: 'redis paused', nodes, from, until })
/** All clients of this burst are refused. */
const refused = (from: number, late = 0): HistoryEvent[] =>
  burst(2, from, [
    { process: 'one.1', took: 30, isRefused: true },
    { process: 'two.1', took: 40, isRefused: true, late },
  ])

describe('the clients of a burst', () => {
  it('are the same in every process, and have the same key, ttl and hold', () => {
    const sizes = new Set<number>()
    for (let number = 1; number <= 200; number++) {
      const plans = processes.flatMap(({ name }) => plansOf(number, `${name}.1`))
      sizes.add(plans.length)
      expect(new Set(plans.map(({ op }) => op)).size).toBe(plans.length)
      const shared = plans.map(({ key, ttl, driftFactor, hold }) =>
        [key, ttl, driftFactor, hold].join(' '),
      )
      expect(new Set(shared).size).toBe(1)
      expect(plansOf(number, 'node-1.2').map(({ op }) => op)).toEqual(
        plansOf(number, 'node-1.1').map(({ op }) => op.replace('node-1.1', 'node-1.2')),
      )
    }
    expect(sizes).toEqual(new Set(bursts.sizes))
  })
})

describe('a burst without a winner', () => {
  it('is a violation, without faults and while a minority of nodes hangs', () => {
    const { violations, bursts } = verdict(refused(5000))
    expect(violations.map((one) => one.check)).toEqual(['no winner'])
    expect(violations[0]!.text).toContain('two.1/burst-0#2 was told locked (a locked')
    expect(bursts).toMatchObject({ bursts: 2, judged: 2, withoutWinner: 1 })
    expect(found([...hang([0, 3], 4000, 6000), ...refused(5000)])).toEqual(['no winner'])
  })

  it('is none during an outage of a majority, nor while nodes change', () => {
    expect(found([...hang([0, 2, 3], 4900, 5800), ...refused(5000)])).toEqual([])
    const changing = [...hang([0, 1], 4000, 5010), ...hang([2], 5020, 6000)]
    expect(found([...changing, ...refused(5000)])).toEqual([])
  })

  it('is one if the links of other processes fail', () => {
    const cut = (name: string): HistoryEvent[] =>
      faultOf({
        kind: 'partition',
        nodes: [0, 1, 2],
        from: 4900,
        until: 5800,
        processes: [name as never],
      })
    expect(found([...cut('one'), ...refused(5000)])).toEqual([])
    expect(found([...cut('three'), ...refused(5000)])).toEqual(['no winner'])
  })

  it('is none if a process was paused or killed, also one that has left no trace', () => {
    const paused = faultOf({ kind: 'client paused', from: 5010, until: 5020, pid: 1 })
    expect(found([...paused, ...refused(5000)])).toEqual([])
    const killed = faultOf({ kind: 'client killed', from: 5020, until: 5020, pid: 4 })
    expect(found([...killed, ...refused(5000)])).toEqual([])
  })

  it('is none if a client was never answered', () => {
    const silent = steps('three.1/burst-0#2', 'burst-2', [
      { ms: 5000, type: 'invoke', kind: 'burst' },
    ])
    expect(found([...refused(5000), ...silent])).toEqual([])
  })

  it('is none if the machine was busy', () => {
    expect(found(refused(5000, 101))).toEqual([])
    expect(found([...refused(5000), { type: 'timer lag', at: 5.5e9, late: 101 }])).toEqual([])
    expect(found([...refused(5000), { type: 'timer lag', at: 5.5e9, late: 100 }])).toEqual([
      'no winner',
    ])
    // Half of the acquires of a key that nobody else wants take this long.
    const usual = (took: number): HistoryEvent[] =>
      steps('three.1/0#1', 'private-three.1/0', [
        { ms: 3000, type: 'invoke', kind: 'private' },
        { ms: 3000 + took, type: 'acquired', validUntil: 4978 },
      ])
    expect(found([...refused(5000), ...usual(101)])).toEqual([])
    expect(found([...refused(5000), ...usual(99)])).toEqual(['no winner'])
  })
})

describe('the time to the winner of a burst', () => {
  const won = (number: number, from: number, took: number): HistoryEvent[] =>
    burst(number, from, [
      { process: 'one.1', took: took + 10, isRefused: true },
      { process: 'two.1', took },
    ])

  it('is measured without faults, while a node hangs, and with other faults', () => {
    const { bursts } = verdict([
      ...won(2, 3000, 30),
      ...hang([1], 5000, 8000),
      ...won(3, 6000, 40),
      ...won(4, 7000, 60),
      ...won(5, 8100, 70),
      ...faultOf({ kind: 'delay', nodes: [1], from: 20_000, until: 25_000 }),
      ...won(6, 22_000, 80),
    ])
    expect(bursts.times).toMatchObject({
      calm: { won: 2, p50: 20, max: 30 },
      hanging: { won: 2, p50: 50, max: 60 },
      // The first of these came when the node had just returned.
      otherwise: { won: 2, p50: 75, max: 80 },
    })
  })

  it('leaves out bursts of a majority that was affected, and of clients that were paused', () => {
    const { bursts } = verdict([
      ...hang([0, 1, 2], 5000, 8000),
      ...won(2, 6000, 40),
      ...faultOf({ kind: 'client paused', from: 20_010, until: 22_000, pid: 1 }),
      ...won(3, 20_000, 2100),
    ])
    expect(bursts).toMatchObject({ bursts: 3, judged: 1 })
    expect(bursts.times.hanging.won + bursts.times.otherwise.won).toBe(0)
  })
})
