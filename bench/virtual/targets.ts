import {
  freshPrefix,
  type LimitsOf,
  maxFreshRatiosOf,
  maxRatiosOf,
  ratioTargets,
} from '../sick/ratios.ts'
import { type Target, target } from '../shared/target.ts'
import { winnerTargets } from '../shared/winners.ts'
import type { SickBursts } from './sick.ts'
import type { Bursts } from './tables.ts'
import { defaultStrategy } from './virtual-clients.ts'
import type { Waiters } from './waiters.ts'

type Limits = { readonly [figure in 'ratio' | 'requests' | 'unluckiest']?: number }

/** The maxima of clients that wait, by their number. */
const waiterLimits: { readonly [size in number]: Limits } = {
  20: { ratio: 1.45, requests: 18 },
  100: { ratio: 1.35, requests: 55, unluckiest: 4 },
}

const waiterLabels = {
  ratio: 'time over that of one alone',
  requests: 'requests each',
  unluckiest: 'longest wait over the median',
} as const

const figures = ['ratio', 'requests', 'unluckiest'] as const

const targetsOfWaiters = (results: readonly Waiters[]): Target[] =>
  results.flatMap((one) =>
    figures.flatMap((figure) => {
      const most = waiterLimits[one.size]?.[figure]
      if (most === undefined) return []
      return target(`${one.size} who wait, ${waiterLabels[figure]}`, one[figure], most)
    }),
  )

const isDefault = ({ strategy }: { strategy: string }): boolean => strategy === defaultStrategy

const worstRatios = (
  results: readonly SickBursts[],
  limitsOf: LimitsOf,
  prefix?: string,
): Target[] => {
  const compared = results
    .filter(isDefault)
    .flatMap(({ size, ratios }) => (ratios ? [{ size, ratios }] : []))
  return ratioTargets(compared, limitsOf, prefix)
}

/** Every strategy must give each burst its winner; the times and requests are those of the default. */
export const targetsOf = (
  bursts: readonly Bursts[],
  sick: readonly SickBursts[],
  fresh: readonly SickBursts[],
  waiters: readonly Waiters[],
): Target[] => [
  ...winnerTargets([...bursts, ...sick, ...fresh]),
  ...worstRatios(sick, maxRatiosOf),
  ...worstRatios(fresh, maxFreshRatiosOf, freshPrefix),
  ...targetsOfWaiters(waiters.filter(isDefault)),
]
