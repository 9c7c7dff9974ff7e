import { describe, expect, it } from 'vitest'
import type { Measured } from '../../bench/regions/measure.ts'
import { isFarthestFirst, orders, regionsIn } from '../../bench/regions/orders.ts'
import { targetsOf as regionsTargets } from '../../bench/regions/targets.ts'
import { figuresOf } from '../../bench/shared/burst-figures.ts'
import { winnerTargets } from '../../bench/shared/winners.ts'
import type { SickBursts } from '../../bench/sick/bursts.ts'
import {
  maxFreshRatiosOf,
  maxRatiosOf,
  missedRatios,
  ratiosOf,
  ratioTargets,
} from '../../bench/sick/ratios.ts'
import { targetsOf as sickTargets } from '../../bench/sick/targets.ts'
import type { Trials } from '../../bench/sick/trials.ts'
import { targetsOf as virtualTargets } from '../../bench/virtual/targets.ts'
import { randomFrom } from '../../tools/random.ts'
import { regions } from '../../verification/simulation/engine/regions.ts'

const well = figuresOf([{ winners: [10], answers: [10, 20] }], 15)

describe('the figures of bursts', () => {
  it('count bursts with one winner, and answers that never came', () => {
    const bursts = [
      { winners: [10], answers: [10, 30] },
      { winners: [], answers: [20, Infinity] },
      { winners: [12, 14], answers: [12, 14] },
    ]
    const expected = { bursts: 3, one: 1, several: 1, toWinner: 10, unanswered: 1, requests: 20 }
    expect(figuresOf(bursts, 60)).toEqual({ ...expected, p90: undefined, longest: undefined })
  })

  it('miss a target where they exceed it, and where nothing could be measured', () => {
    const slow = figuresOf([{ winners: [25], answers: [25, 50] }], 15)
    expect(missedRatios(ratiosOf(slow, well), maxRatiosOf(5))).toEqual(['toWinner'])
    const silent = figuresOf([{ winners: [], answers: [Infinity, Infinity] }], 30)
    expect(missedRatios(ratiosOf(silent, well), maxRatiosOf(5))).toEqual([
      'toWinner',
      'p90',
      'requests',
    ])
    expect(missedRatios(ratiosOf(well, well), maxRatiosOf(5))).toEqual([])
    expect(missedRatios(ratiosOf(slow, well), maxRatiosOf(3))).toEqual([])
  })
})

const missed = (targets: readonly { about: string; isMet: boolean }[]): string[] =>
  targets.filter(({ isMet }) => !isMet).map(({ about }) => about)

describe('the targets of all bursts', () => {
  const bursts = (one: number, several: number) => [
    { ...well, bursts: 5_000, one: 5_000 },
    { ...well, bursts: 5_000, one, several },
  ]

  it('are met where one of 10,000 bursts has no winner', () => {
    expect(missed(winnerTargets(bursts(4_999, 0)))).toEqual([])
    expect(missed(winnerTargets(bursts(4_998, 0)))).toEqual(['10000 bursts, without a winner'])
    expect(missed(winnerTargets([{ ...well, one: 0 }]))).toEqual(['1 bursts, without a winner'])
  })

  it('are missed by a single burst with two winners', () => {
    expect(missed(winnerTargets(bursts(4_999, 1)))).toEqual(['10000 bursts, with several winners'])
  })
})

describe('the targets of bench:virtual', () => {
  const waiters = { strategy: 'parallel', ratio: 1.35, requests: 18, unluckiest: 4 } as const

  it('hold for clients that wait by the default strategy', () => {
    const met = [
      { ...waiters, size: 2, ratio: 9 },
      { ...waiters, size: 20 },
      { ...waiters, size: 100, requests: 55 },
      { ...waiters, size: 100, strategy: 'frugal', requests: 70 },
    ] as const
    expect(missed(virtualTargets([], [], [], met))).toEqual([])
    const slow = { ...waiters, size: 100, ratio: 1.4, requests: 56, unluckiest: 4.1 }
    const wasteful = { ...waiters, size: 20, requests: 19 }
    expect(missed(virtualTargets([], [], [], [wasteful, slow]))).toEqual([
      '20 who wait, requests each',
      '100 who wait, time over that of one alone',
      '100 who wait, requests each',
      '100 who wait, longest wait over the median',
    ])
  })
})

describe('the targets of bench:sick', () => {
  const bursts = (sick: typeof well): SickBursts => ({
    contestant: 'edge-redlock',
    size: 2,
    condition: 'node 0 hangs',
    well,
    sick,
    ratios: ratiosOf(sick, well),
  })
  const trials: Trials = {
    contestant: 'edge-redlock',
    condition: 'one node hangs',
    wanted: 10,
    trials: 10,
    overlaps: 0,
    nobody: 0,
    routines: 12,
    lost: 0,
    unanswered: 0,
    disturbed: 0,
  }

  it('are met by bursts like those with all nodes well, and by trials without a loss', () => {
    expect(missed(sickTargets([bursts(well)], [bursts(well)], [trials]))).toEqual([])
  })

  it('are missed by a burst without a winner, an overlap and a lost lock', () => {
    const none = figuresOf([{ winners: [], answers: [10, 20] }], 15)
    const targets = sickTargets(
      [bursts(well), bursts(none)],
      [],
      [{ ...trials, overlaps: 1, lost: 2 }],
    )
    expect(missed(targets)).toEqual([
      'bursts without exactly one winner',
      'median time to the winner with a sick node, over that with all well',
      'trials of `using` in which both routines ran at once',
      'locks lost by `using`',
    ])
  })
})

it('fresh clients have targets of their own', () => {
  const of = (answers: readonly number[], requests: number) =>
    figuresOf([{ winners: [100], answers }], requests)
  const ratios = (sick: typeof well) => [{ size: 2, ratios: ratiosOf(sick, well) }]
  expect(missed(ratioTargets(ratios(of([10, 70], 19)), maxFreshRatiosOf))).toEqual([])
  expect(missed(ratioTargets(ratios(of([10, 71], 20)), maxFreshRatiosOf, 'fresh: '))).toEqual([
    'fresh: p90 of all answers with a sick node, over that with all well',
    'fresh: requests of a burst with a sick node, over those with all well',
  ])
})

describe('the targets of bench:regions', () => {
  const limits = { winner: 2, answers: 3, longest: 8, requests: 18 }
  const one: Measured = {
    ...well,
    order: 'nearest first',
    strategy: 'parallel',
    want: 'lock',
    group: 'two of one region',
    name: '2 of us-east-1',
    quorumReply: 10,
    figures: { winner: 1, answers: 2, longest: 2, requests: 15 },
    limits,
    missed: [],
  }
  const { limits: _, ...frugal } = { ...one, strategy: 'frugal' as const }
  const slow = { figures: { ...one.figures, answers: 3.1, longest: 9 } }

  it('hold for the worst case of a group, in every order', () => {
    expect(missed(regionsTargets([one, { ...frugal, ...slow }]))).toEqual([])
    expect(missed(regionsTargets([one, { ...one, ...slow, order: 'random' }]))).toEqual([
      'five regions, two of one region: p90 of all answers over the quorum-th reply',
      'five regions, two of one region: longest answer over the quorum-th reply',
    ])
    expect(missed(regionsTargets([{ ...one, one: 0 }]))).toEqual(['1 bursts, without a winner'])
  })

  it('are larger where a group says so, for one order', () => {
    const farthest: Measured = {
      ...one,
      ...slow,
      order: 'farthest first',
      limits: { ...limits, answers: 3.1, longest: 9 },
    }
    expect(missed(regionsTargets([one, farthest]))).toEqual([])
    expect(missed(regionsTargets([{ ...one, ...slow }, farthest]))).toEqual([
      'five regions, two of one region, nearest first: p90 of all answers over the quorum-th reply',
      'five regions, two of one region, nearest first: longest answer over the quorum-th reply',
    ])
  })
})

describe('the order of nodes in bench:regions', () => {
  const random = randomFrom(1)

  it('is by the distance from the client that is nearest to a quorum', () => {
    const near = regionsIn('nearest first', ['sa-east-1', 'eu-west-1'], random)
    expect(near).toEqual([
      'eu-west-1',
      'us-east-1',
      'ap-southeast-1',
      'sa-east-1',
      'ap-northeast-1',
    ])
    expect(regionsIn('farthest first', ['eu-west-1'], random)).toEqual(near.toReversed())
    expect(regionsIn('farthest first', regions, random)[0]).toBe('ap-southeast-1')
    expect(isFarthestFirst('ap-southeast-1 first', regions)).toBe(true)
    expect(isFarthestFirst('sa-east-1 first', regions)).toBe(false)
    expect(isFarthestFirst('random', regions)).toBe(false)
  })

  it('has each node once, and the given one first', () => {
    for (const order of [...orders, 'sa-east-1 first'] as const) {
      expect(regionsIn(order, regions, random).toSorted()).toEqual(regions.toSorted())
    }
    expect(regionsIn('sa-east-1 first', regions, random)[0]).toBe('sa-east-1')
    const firsts = Array.from({ length: 50 }, () => regionsIn('random', regions, random)[0])
    expect(new Set(firsts).size).toBe(regions.length)
  })
})
