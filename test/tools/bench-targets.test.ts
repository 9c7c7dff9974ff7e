import { describe, expect, it } from 'vitest'
import type { Measured } from '../../bench/regions/measure.ts'
import { targetsOf as regionsTargets } from '../../bench/regions/targets.ts'
import { figuresOf } from '../../bench/shared/burst-figures.ts'
import type { SickBursts } from '../../bench/sick/bursts.ts'
import { missedRatios, ratiosOf } from '../../bench/sick/ratios.ts'
import { targetsOf as sickTargets } from '../../bench/sick/targets.ts'
import type { Trials } from '../../bench/sick/trials.ts'

const well = figuresOf([{ winners: [10], answers: [10, 20] }], 15)

describe('the figures of bursts', () => {
  it('count bursts with one winner, and answers that never came', () => {
    const bursts = [
      { winners: [10], answers: [10, 30] },
      { winners: [], answers: [20, Infinity] },
      { winners: [12, 14], answers: [12, 14] },
    ]
    const expected = { bursts: 3, one: 1, toWinner: 10, unanswered: 1, requests: 20 }
    expect(figuresOf(bursts, 60)).toEqual({ ...expected, p90: undefined, longest: undefined })
  })

  it('miss a target where they exceed it, and where nothing could be measured', () => {
    const slow = figuresOf([{ winners: [25], answers: [25, 50] }], 15)
    expect(missedRatios(ratiosOf(slow, well), 5)).toEqual(['toWinner'])
    const silent = figuresOf([{ winners: [], answers: [Infinity, Infinity] }], 30)
    expect(missedRatios(ratiosOf(silent, well), 5)).toEqual(['toWinner', 'p90', 'requests'])
    expect(missedRatios(ratiosOf(well, well), 5)).toEqual([])
    expect(missedRatios(ratiosOf(slow, well), 3)).toEqual([])
  })
})

const missed = (targets: readonly { about: string; isMet: boolean }[]): string[] =>
  targets.filter(({ isMet }) => !isMet).map(({ about }) => about)

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
    expect(missed(sickTargets([bursts(well)], [trials]))).toEqual([])
  })

  it('are missed by a burst without a winner, an overlap and a lost lock', () => {
    const none = figuresOf([{ winners: [], answers: [10, 20] }], 15)
    const targets = sickTargets([bursts(well), bursts(none)], [{ ...trials, overlaps: 1, lost: 2 }])
    expect(missed(targets)).toEqual([
      'bursts without exactly one winner',
      'median time to the winner with a sick node, over that with all well',
      'trials of `using` in which both routines ran at once',
      'locks lost by `using`',
    ])
  })
})

it('the targets of bench:regions hold for the worst case of a group', () => {
  const limits = { winner: 2, answers: 3, requests: 18 }
  const one: Measured = {
    ...well,
    strategy: 'parallel',
    want: 'lock',
    group: 'two of one region',
    name: '2 of us-east-1',
    quorumReply: 10,
    winner: 1,
    answers: 2,
    limits,
    missed: [],
  }
  expect(missed(regionsTargets([one], [one]))).toEqual([])
  const all = [one, { ...one, answers: 3.1 }]
  expect(missed(regionsTargets(all, all))).toEqual([
    'five regions, two of one region: p90 of all answers over the quorum-th reply',
  ])
  expect(missed(regionsTargets([{ ...one, one: 0 }], [one]))).toEqual([
    'five regions, bursts without exactly one winner',
  ])
})
