import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Weather } from '../../verification/simulation/checks/weather.ts'
import {
  addWinnerCounts,
  type WinnerCounts,
} from '../../verification/simulation/checks/winner-counts.ts'
import { chanceOfLosing, winnerRates } from '../../verification/simulation/checks/winner-rates.ts'

/** The kinds and totals whose promise is broken. */
const broken = (counts: Partial<Record<Weather, readonly [bursts: number, lost: number]>>) => {
  const winners: WinnerCounts = new Map()
  for (const [weather, [bursts, lost]] of Object.entries(counts)) {
    addWinnerCounts(winners, [[weather as Weather, { bursts, lost }]])
  }
  return winnerRates(winners)
    .filter(({ isKept }) => !isKept)
    .map(({ weather }) => weather)
}

describe('chanceOfLosing', () => {
  it('is that of the binomial distribution', () => {
    expect(chanceOfLosing({ bursts: 3, lost: 0 }, 0.5)).toBe(1)
    expect(chanceOfLosing({ bursts: 3, lost: 1 }, 0.5)).toBeCloseTo(7 / 8, 12)
    expect(chanceOfLosing({ bursts: 3, lost: 2 }, 0.5)).toBeCloseTo(4 / 8, 12)
    expect(chanceOfLosing({ bursts: 3, lost: 3 }, 0.5)).toBeCloseTo(1 / 8, 12)
  })

  it('stays a probability, and falls with each burst that is lost, however long the run is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000 }), fc.nat(5_000), (bursts, lost) => {
        const few = chanceOfLosing({ bursts, lost: Math.min(lost, bursts) }, 0.001)
        const more = chanceOfLosing({ bursts, lost: Math.min(lost + 100, bursts) }, 0.001)
        expect(few).toBeLessThanOrEqual(1)
        expect(more).toBeGreaterThanOrEqual(0)
        expect(more).toBeLessThanOrEqual(few + 1e-9)
      }),
      { numRuns: 200 },
    )
    // A long run loses about as many as it may.
    expect(chanceOfLosing({ bursts: 5_000_000, lost: 5_000 }, 0.001)).toBeCloseTo(0.5, 1)
  })
})

describe('winnerRates', () => {
  it('accepts one lost burst in a short run, and not four', () => {
    expect(broken({ 'all nodes are well': [500, 1] })).toEqual([])
    expect(broken({ 'all nodes are well': [500, 4] })).toEqual([
      'all nodes are well',
      'all with 99.99 %',
    ])
  })

  it('accepts more where less is promised', () => {
    expect(broken({ 'a client dies': [500, 4] })).toEqual([])
    expect(broken({ 'a client dies': [500, 6] })).toEqual(['a client dies', 'all with 99.90 %'])
  })

  it('compares a long run nearly exactly', () => {
    expect(broken({ 'a node hangs': [1_000_000, 125] })).toEqual([])
    expect(broken({ 'a node hangs': [1_000_000, 140] })).toContain('a node hangs')
  })

  it('notices what is rare in each kind of weather, but not in all of them', () => {
    const each = [1_000, 1] as const
    expect(
      broken({
        'a node hangs': each,
        'a node is late': each,
        'a node flaps': each,
        'a node refuses': each,
        'a node rejects': each,
      }),
    ).toEqual(['all with 99.99 %'])
  })

  it('only counts where nothing is promised', () => {
    const counts: WinnerCounts = new Map()
    addWinnerCounts(counts, [['calls that wait for a short time', { bursts: 10, lost: 9 }]])
    addWinnerCounts(counts, [['calls that wait for a short time', { bursts: 10, lost: 1 }]])
    const [rate, ...others] = winnerRates(counts)
    expect(rate).toMatchObject({
      bursts: 20,
      lost: 10,
      rate: 0.5,
      promise: undefined,
      isKept: true,
    })
    expect(others).toEqual([])
  })
})
