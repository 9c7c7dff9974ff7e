import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { bursts, processes } from '../../verification/chaos/campaign/settings.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import { type BurstPlan, plansOf } from '../../verification/chaos/clients/bursts.ts'
import { burst, clean, faultOf, found, historyOf, steps, usual } from './histories.ts'

const verdict = (events: readonly HistoryEvent[]): ReturnType<typeof check> =>
  check(historyOf([...clean.events, ...usual(20), ...events], clean.stores))
const flagged = (events: readonly HistoryEvent[]): string[] => found([...usual(20), ...events])

const hang = (nodes: number[], from: number, until: number): HistoryEvent[] =>
  faultOf({ kind: 'redis paused', nodes, from, until })
/** All clients of this burst are refused. */
const refused = (from: number, late = 0): HistoryEvent[] =>
  burst(2, from, [
    { process: 'one.1', took: 30, isRefused: true },
    { process: 'two.1', took: 40, isRefused: true, late },
  ])

describe('the clients of a burst', () => {
  const plans = (number: number): BurstPlan[] =>
    processes.flatMap(({ name }) => plansOf(number, `${name}.1`))
  const isFar = ({ client }: BurstPlan): boolean => client.startsWith('far.')
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1)

  it('have the same key, ttl and hold, each in a slot of its own', () => {
    const sizes = new Set<number>()
    for (const near of numbers.map((number) => plans(number).filter((one) => !isFar(one)))) {
      sizes.add(near.length)
      expect(new Set(near.map(({ op }) => op)).size).toBe(near.length)
      const shared = near.map(({ key, ttl, driftFactor, hold }) => [key, ttl, driftFactor, hold])
      expect(new Set(shared.map(String)).size).toBe(1)
    }
    expect(sizes).toEqual(new Set(bursts.sizes))
  })

  it('ask alone where they are far away', () => {
    for (const number of numbers) {
      const far = plans(number).filter(isFar)
      expect(far).toHaveLength(number % bursts.farShare === 0 ? 1 : 0)
      expect(plans(number).filter(({ key }) => key === far[0]?.key)).toEqual(far)
    }
  })

  it('are the same after a restart of their process', () => {
    for (const number of numbers) {
      const ops = plansOf(number, 'node-1.1').map(({ op }) => op.replace('node-1.1', 'node-1.2'))
      expect(plansOf(number, 'node-1.2').map(({ op }) => op)).toEqual(ops)
    }
  })
})

describe('a burst without a winner', () => {
  it('is a violation, without faults and while a minority of nodes hangs', () => {
    const { violations, bursts } = verdict(refused(5000))
    expect(violations.map((one) => one.check)).toEqual(['no winner'])
    expect(violations[0]!.text).toContain('two.1/burst-0#2 was told locked (a locked')
    expect(bursts).toMatchObject({ bursts: 2, judged: 2, withoutWinner: 1 })
    expect(flagged([...hang([0, 3], 4000, 6000), ...refused(5000)])).toEqual(['no winner'])
  })

  it('is none during an outage of a majority, nor while nodes change', () => {
    expect(flagged([...hang([0, 2, 3], 4900, 5800), ...refused(5000)])).toEqual([])
    const changing = [...hang([0, 1], 4000, 5010), ...hang([2], 5020, 6000)]
    expect(flagged([...changing, ...refused(5000)])).toEqual([])
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
    expect(flagged([...cut('one'), ...refused(5000)])).toEqual([])
    expect(flagged([...cut('three'), ...refused(5000)])).toEqual(['no winner'])
  })

  it('is none if a process was paused or killed, also one that has left no trace', () => {
    const paused = faultOf({ kind: 'client paused', from: 5010, until: 5020, pid: 1 })
    expect(flagged([...paused, ...refused(5000)])).toEqual([])
    const killed = faultOf({ kind: 'client killed', from: 5020, until: 5020, pid: 4 })
    expect(flagged([...killed, ...refused(5000)])).toEqual([])
  })

  it('is none if a client was never answered', () => {
    const silent = steps('three.1/burst-0#2', 'burst-2', [
      { ms: 5000, type: 'called', kind: 'burst' },
    ])
    expect(flagged([...refused(5000), ...silent])).toEqual([])
  })

  it('is none if the machine was busy', () => {
    expect(flagged(refused(5000, 101))).toEqual([])
    expect(flagged([...refused(5000), { type: 'timer lag', at: 5500, late: 101 }])).toEqual([])
    expect(flagged([...refused(5000), { type: 'timer lag', at: 5500, late: 100 }])).toEqual([
      'no winner',
    ])
    expect(found([...refused(5000), ...usual(100)])).toEqual([])
    expect(found([...refused(5000), ...usual(99)])).toEqual(['no winner'])
  })
})
