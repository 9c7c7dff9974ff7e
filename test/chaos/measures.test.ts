import { describe, expect, it } from 'vitest'
import type { HistoryEvent } from '../../verification/chaos/campaign/events.ts'
import { check } from '../../verification/chaos/checker/check.ts'
import { clean, faultOf, historyOf, steps } from './histories.ts'

const verdict = (events: readonly HistoryEvent[]): ReturnType<typeof check> =>
  check(historyOf([...clean.events, ...events], clean.stores))

let turn = 0
/** An acquire of a key that a single client uses. */
const probe = (ms: number, took: number | 'failed', process = 'two.1'): HistoryEvent[] => {
  const client = `${process}/9`
  const end =
    took === 'failed'
      ? ({ ms: ms + 500, type: 'refused', reason: 'unavailable' } as const)
      : ({ ms: ms + took, type: 'acquired', validUntil: ms + 1978 } as const)
  return steps(`${client}#${++turn}`, `private-${client}-${turn}`, [
    { ms, type: 'called', kind: 'private' },
    end,
  ])
}
const probes = (ms: number, times: readonly (number | 'failed')[]): HistoryEvent[] =>
  times.flatMap((took, index) => probe(ms + index, took))

describe('availability', () => {
  it('is the share of acquires within twice the usual p99, while a minority is down', () => {
    const usual = probes(3000, [20, 20, 20, 20])
    const down = faultOf({ kind: 'redis paused', nodes: [1], from: 5000, until: 8000 })
    const { availability } = verdict([...usual, ...down, ...probes(6000, [10, 40, 41, 'failed'])])
    expect(availability.baseline).toEqual({ acquires: 4, p50: 20, p99: 20 })
    expect(availability.minority).toMatchObject({ acquires: 4, served: 3, inTime: 2, share: 0.5 })
    expect(availability.leftOut).toBe(0)
  })

  it('counts a node that abstains after its restart as one that is down', () => {
    const abstains = 11_000
    const fault = faultOf({
      kind: 'volatile redis killed',
      nodes: [4],
      from: 5000,
      until: 6000,
      abstains,
    })
    const events = [...probe(3000, 10), ...fault, ...probe(16_900, 10), ...probe(18_000, 10)]
    const { availability } = verdict(events)
    expect(availability.minority.acquires).toBe(1)
    expect(availability.baseline.acquires).toBe(2)
  })

  it('is a violation if too few acquires succeed', () => {
    const down = faultOf({ kind: 'redis paused', nodes: [1], from: 5000, until: 8000 })
    const served = (count: number): string[] => {
      const times = Array.from({ length: 60 }, (_, turn) =>
        turn < count ? 10 : ('failed' as const),
      )
      const { violations } = verdict([...down, ...probes(6000, times)])
      return violations.map(({ check }) => check)
    }
    expect(served(57)).toEqual([])
    expect(served(56)).toEqual(['not available'])
  })

  it('leaves out acquires while the machine was busy', () => {
    const down = faultOf({ kind: 'redis paused', nodes: [1], from: 5000, until: 8000 })
    const failed = probes(6000, Array<'failed'>(60).fill('failed'))
    const violationsAt = (late: number): string[] => {
      const lag: HistoryEvent = { type: 'timer lag', at: 6600, late }
      return verdict([...down, ...failed, lag]).violations.map(({ check }) => check)
    }
    expect(violationsAt(101)).toEqual([])
    expect(violationsAt(100)).toEqual(['not available'])
  })

  it('leaves out acquires during an outage, and those of a process that was hit', () => {
    const events = [
      ...probe(3000, 10),
      ...faultOf({ kind: 'partition', nodes: [0, 1, 2], from: 5000, until: 8000 }),
      ...probe(6000, 'failed'),
      ...faultOf({ kind: 'redis paused', nodes: [1], from: 20_000, until: 30_000 }),
      ...faultOf({ kind: 'client paused', from: 22_000, until: 24_000, pid: 1 }),
      ...probe(21_990, 2020, 'one.1'),
      ...probe(26_000, 10, 'one.1'),
    ]
    const { availability } = verdict(events)
    expect(availability.minority).toMatchObject({ acquires: 1, share: 1 })
    expect(availability.leftOut).toBe(2)
  })
})

describe('the baseline', () => {
  it('leaves out new processes, and acquires while they start', () => {
    const process: HistoryEvent = {
      type: 'process',
      at: 20_000,
      process: 'one.2',
      pid: 9,
      runtime: 'Node',
      resolution: 0,
      isComplete: true,
      roundTrip: 0,
    }
    const events = [
      ...faultOf({ kind: 'client killed', from: 19_000, until: 20_000, pid: 1 }),
      process,
      ...[20_500, 23_500].flatMap((ms) => probe(ms, 100, 'one.2')),
      ...[18_000, 22_000, 24_000].flatMap((ms) => probe(ms, 20)),
    ]
    const { availability } = verdict(events)
    expect(availability.baseline).toMatchObject({ acquires: 3, p50: 20 })
    expect(availability.leftOut).toBe(2)
  })
})

describe('recovery', () => {
  const out = faultOf({ kind: 'redis paused', nodes: [0, 1, 2], from: 10_000, until: 14_000 })

  it('is the time from the end of an outage to the first lock', () => {
    const { recoveries, violations } = verdict([
      ...out,
      ...probe(10_001, 100),
      ...probe(14_100, 50),
    ])
    expect(recoveries).toEqual([{ from: 10, until: 14, locks: 0, ms: 150 }])
    expect(violations).toEqual([])
  })

  it('must happen, if the campaign is long enough to tell', () => {
    const { violations } = verdict([...out, ...probe(30_000, 10)])
    expect(violations.map(({ check }) => check)).toEqual(['no recovery'])
    const late = faultOf({ kind: 'redis paused', nodes: [0, 1, 2], from: 50_000, until: 58_000 })
    expect(verdict(late).recoveries).toEqual([{ from: 50, until: 58, locks: 0, ms: null }])
    expect(verdict(late).violations).toEqual([])
  })
})
