import type { BurstFigures } from '../shared/burst-figures.ts'

/** Bursts while one node is sick, over the same bursts while all are well. */
export type Ratios = {
  /** Of the median times to the winner. */
  readonly toWinner: number
  /** Of the 90th percentiles of all answers. */
  readonly p90: number
  readonly requests: number
}

/** The maximum that a sick node may cost. */
export const maxRatios: Ratios = { toWinner: 2, p90: 3, requests: 1.25 }

/**
 * The same for bursts of one size. Of three clients, one gets three of five nodes in a single round more
 * often than not, but three of the four that answer only in every third burst. So the median winner
 * needs a second round, and no protocol of this kind keeps it below twice the time.
 */
export const maxRatiosOf = (size: number): Ratios =>
  size === 3 ? { ...maxRatios, toWinner: 3 } : maxRatios

/** A ratio is NaN where there is no time to compare. */
export const ratiosOf = (sick: BurstFigures, well: BurstFigures): Ratios => ({
  toWinner: (sick.toWinner ?? NaN) / (well.toWinner ?? NaN),
  p90: (sick.p90 ?? NaN) / (well.p90 ?? NaN),
  requests: sick.requests / well.requests,
})

export const names = ['toWinner', 'p90', 'requests'] as const

/** The ratios of bursts of one size that exceed their maximum, or could not be measured. */
export const missedRatios = (ratios: Ratios, size: number): (keyof Ratios)[] =>
  names.filter((name) => !(ratios[name] <= maxRatiosOf(size)[name]))

/** The largest of each ratio. */
export const worstOf = (all: readonly Ratios[]): Ratios => ({
  toWinner: Math.max(...all.map(({ toWinner }) => toWinner)),
  p90: Math.max(...all.map(({ p90 }) => p90)),
  requests: Math.max(...all.map(({ requests }) => requests)),
})
