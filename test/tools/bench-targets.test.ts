import { describe, expect, it } from 'vitest'
import { figuresOf } from '../../bench/bursts/figures.ts'
import { type Measured, missedOf, ratiosOf } from '../../bench/bursts/measured.ts'
import { freshGroup, sickGroup, sickLimits } from '../../bench/bursts/sick-nodes.ts'
import { winnerTargets } from '../../bench/bursts/targets.ts'
import { type Waiters, waiterTargets } from '../../bench/bursts/waiters.ts'
import type { MeasuredRegions } from '../../bench/regions/measure.ts'
import { cases, limitsOf } from '../../bench/regions/cases.ts'
import { orders, regionsIn } from '../../bench/regions/orders.ts'
import { targetsOf as regionsTargets } from '../../bench/regions/results.ts'
import { targetsOf as sickTargets } from '../../bench/sick/results.ts'
import { randomFrom } from '../../tools/random.ts'
import { regions } from '../../verification/simulation/engine/regions.ts'

const of = (winners: readonly number[], answers: readonly number[], requests: number) =>
  figuresOf({ bursts: [{ winners, answers }], requests })

const well = of([10], [10, 20], 15)

/** Bursts of so many clients with a sick node. */
const sickOf = (figures: typeof well, size: number, group = sickGroup): Measured => ({
  contestant: 'edge-redlock',
  group,
  size,
  condition: 'node 0 hangs',
  ...figures,
  ratios: ratiosOf(figures, well),
  limits: sickLimits(group, size),
})

describe('the figures of bursts', () => {
  it('count bursts with one winner, and answers that never came', () => {
    const bursts = [
      { winners: [10], answers: [10, 30] },
      { winners: [], answers: [20, Infinity] },
      { winners: [12, 14], answers: [12, 14] },
    ]
    const expected = { bursts: 3, one: 1, several: 1, toWinner: 11, unanswered: 1, requests: 20 }
    expect(figuresOf({ bursts, requests: 60 })).toEqual({
      ...expected,
      p90: undefined,
      longest: undefined,
    })
  })

  it('miss a target where they exceed it, and where nothing could be measured', () => {
    const slow = of([25], [25, 50], 15)
    expect(missedOf(sickOf(slow, 5))).toEqual(['winner'])
    const silent = of([], [Infinity, Infinity], 30)
    expect(missedOf(sickOf(silent, 5))).toEqual(['winner', 'answers', 'requests'])
    expect(missedOf(sickOf(well, 5))).toEqual([])
    expect(missedOf(sickOf(slow, 3))).toEqual([])
  })
})

const missed = (targets: readonly { about: string; isMet: boolean }[]): string[] =>
  targets.filter(({ isMet }) => !isMet).map(({ about }) => about)

describe('the targets of all bursts', () => {
  const bursts = (one: number, several: number) => [
    { ...sickOf(well, 5), bursts: 5_000, one: 5_000 },
    { ...sickOf(well, 5), bursts: 5_000, one, several },
  ]

  it('are met where one of 10,000 bursts has no winner', () => {
    expect(missed(winnerTargets(bursts(4_999, 0)))).toEqual([])
    expect(missed(winnerTargets(bursts(4_998, 0)))).toEqual(['10000 bursts, without a winner'])
    const none = { ...sickOf(well, 5), one: 0 }
    expect(missed(winnerTargets([none]))).toEqual(['1 bursts, without a winner'])
  })

  it('are missed by a single burst with two winners', () => {
    expect(missed(winnerTargets(bursts(4_999, 1)))).toEqual(['10000 bursts, with several winners'])
  })
})

describe('the targets of clients that wait', () => {
  const waiters: Waiters = {
    contestant: 'edge-redlock',
    size: 100,
    rounds: 1,
    granted: 100,
    time: 1,
    ratio: 1.35,
    requests: 55,
    medianWait: 1,
    longestWait: 4,
    unluckiest: 4,
  }
  const limits = {
    20: { ratio: 1.45, requests: 18 },
    100: { ratio: 1.35, requests: 55, unluckiest: 4 },
  }

  it('hold for one contestant, and for so many who wait', () => {
    const met = [
      { ...waiters, size: 2, ratio: 9 },
      { ...waiters, size: 20, requests: 18 },
      waiters,
      { ...waiters, contestant: 'edge-redlock, frugal', requests: 70 },
    ]
    expect(missed(waiterTargets(met, 'edge-redlock', limits))).toEqual([])
    const slow = { ...waiters, ratio: 1.4, requests: 56, unluckiest: 4.1 }
    const wasteful = { ...waiters, size: 20, requests: 19 }
    expect(missed(waiterTargets([wasteful, slow], 'edge-redlock', limits))).toEqual([
      '20 who wait, requests each (edge-redlock)',
      '100 who wait, time over that of one alone (edge-redlock)',
      '100 who wait, requests each (edge-redlock)',
      '100 who wait, longest wait over the median (edge-redlock)',
    ])
  })
})

describe('the targets of the bench of slow nodes', () => {
  it('are met by bursts like those with all nodes well, in fresh clients, too', () => {
    const fresh = sickOf(well, 2, freshGroup)
    expect(missed(sickTargets([sickOf(well, 2)], [fresh]))).toEqual([])
  })

  it('are missed by a burst without a winner', () => {
    const targets = sickTargets([sickOf(well, 2), sickOf(of([], [10, 20], 15), 2)], [])
    expect(missed(targets)).toEqual([
      'bursts without exactly one winner (edge-redlock)',
      'one sick node: median time to the winner with a sick node, over that with all well',
    ])
  })

  it('are others for three clients at once, and for fresh ones', () => {
    const slow = of([25], [10, 20], 15)
    expect(missed(sickTargets([sickOf(slow, 3), sickOf(well, 2)], []))).toEqual([])
    expect(missed(sickTargets([sickOf(slow, 3), sickOf(slow, 2)], []))).toEqual([
      'one sick node, other sizes: median time to the winner with a sick node, over that with all well',
    ])
    const fresh = (answers: readonly number[], requests: number) =>
      missed(sickTargets([], [sickOf(of([100], answers, requests), 2, freshGroup)]))
    expect(fresh([10, 70], 19)).toEqual([])
    expect(fresh([10, 75], 20)).toEqual([
      'double clicks of fresh clients: p90 of all answers with a sick node, over that with all well',
      'double clicks of fresh clients: requests of a burst with a sick node, over those with all well',
    ])
  })
})

describe('the targets of the bench of regions', () => {
  const limits = { winner: 2, answers: 3, longest: 8, requests: 18 }
  const one: MeasuredRegions = {
    ...well,
    contestant: 'edge-redlock',
    order: 'us-east-1 first',
    want: 'lock',
    group: 'two of one region',
    size: 2,
    condition: 'lock, 2 of us-east-1, us-east-1 first',
    quorumReply: 10,
    ratios: { winner: 1, answers: 2, longest: 2, requests: 15 },
    limits,
  }
  const slow = { ratios: { ...one.ratios!, answers: 3.1, longest: 9 } }

  it('hold for the worst case of a group, in every order', () => {
    expect(missed(regionsTargets([one, { ...one, ...slow, limits: undefined }]))).toEqual([])
    expect(missed(regionsTargets([one, { ...one, ...slow, order: 'random' }]))).toEqual([
      'two of one region: p90 of all answers over the quorum-th reply',
      'two of one region: longest answer over the quorum-th reply',
    ])
    expect(missed(regionsTargets([{ ...one, one: 0 }]))).toEqual(['1 bursts, without a winner'])
  })

  it('have the same air in every case with limits, for the default strategy alone', () => {
    const last = cases.at(-1)!
    expect(limitsOf(last, 'edge-redlock')).toEqual({
      winner: 3.36,
      answers: 3.78,
      longest: 8.4,
      requests: 39.9,
    })
    expect(limitsOf(last, 'edge-redlock, frugal')).toBeUndefined()
    expect(limitsOf(cases[0]!, 'edge-redlock')).toBeUndefined()
  })
})

describe('the order of nodes in the bench of regions', () => {
  const random = randomFrom(1)

  it('has each node once, and the given one first', () => {
    for (const order of orders) {
      expect(regionsIn(order, random).toSorted()).toEqual(regions.toSorted())
    }
    expect(regionsIn('sa-east-1 first', random)[0]).toBe('sa-east-1')
    const firsts = Array.from({ length: 50 }, () => regionsIn('random', random)[0])
    expect(new Set(firsts).size).toBe(regions.length)
  })
})
