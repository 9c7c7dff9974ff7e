import type { BurstFigures } from '../shared/burst-figures.ts'
import { type Target, target } from '../shared/target.ts'

/** Bursts while one node is sick, over the same bursts while all are well. */
export type Ratios = {
  /** Of the median times to the winner. */
  readonly toWinner: number
  /** Of the 90th percentiles of all answers. */
  readonly p90: number
  readonly requests: number
}

/** The maxima of some ratios, for bursts of one size; without a size, those of most sizes. */
export type LimitsOf = (size?: number) => Partial<Ratios>

/** The maximum that a sick node may cost clients that have met it before. */
export const maxRatios: Ratios = { toWinner: 2, p90: 3, requests: 1.25 }

/**
 * The same for bursts of one size. Of three clients, one gets three of five nodes in a single round more
 * often than not, but three of the four that answer only in every third burst. So the median winner
 * needs a second round, and no protocol of this kind keeps it below twice the time.
 */
export const maxRatiosOf = (size?: number): Ratios =>
  size === 3 ? { ...maxRatios, toWinner: 3 } : maxRatios

/**
 * The maximum that a sick node may cost a double click of fresh clients, none of which has asked a node
 * before, as after the start of two isolates.
 */
export const maxFreshRatiosOf: LimitsOf = () => ({ p90: 3.5, requests: 1.3 })

/** What the targets of fresh clients begin with. */
export const freshPrefix = 'double clicks of fresh clients, '

/** A ratio is NaN where there is no time to compare. */
export const ratiosOf = (sick: BurstFigures, well: BurstFigures): Ratios => ({
  toWinner: (sick.toWinner ?? NaN) / (well.toWinner ?? NaN),
  p90: (sick.p90 ?? NaN) / (well.p90 ?? NaN),
  requests: sick.requests / well.requests,
})

export const names = ['toWinner', 'p90', 'requests'] as const

/** The ratios that exceed their maximum, or could not be measured. */
export const missedRatios = (ratios: Ratios, limits: Partial<Ratios>): (keyof Ratios)[] =>
  names.filter((name) => limits[name] !== undefined && !(ratios[name] <= limits[name]))

const labels: { readonly [name in keyof Ratios]: string } = {
  toWinner: 'median time to the winner with a sick node, over that with all well',
  p90: 'p90 of all answers with a sick node, over that with all well',
  requests: 'requests of a burst with a sick node, over those with all well',
}

type Compared = { readonly size: number; readonly ratios: Ratios }

/** The worst of each ratio that has a maximum; nothing where no bursts were measured. */
export const ratioTargets = (
  results: readonly Compared[],
  limitsOf: LimitsOf,
  prefix = '',
): Target[] =>
  names.flatMap((name) => {
    const most = limitsOf()[name]
    if (most === undefined || results.length === 0) return []
    // A larger maximum of one size counts as the usual one.
    const values = results.map(({ size, ratios }) => (ratios[name] * most) / limitsOf(size)[name]!)
    return target(`${prefix}${labels[name]}`, Math.max(...values), most)
  })
