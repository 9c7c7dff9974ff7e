import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { type Target, target } from '../shared/target.ts'
import type { SickBursts } from './bursts.ts'
import { freshPrefix, maxFreshRatiosOf, maxRatiosOf, ratioTargets } from './ratios.ts'
import type { Trials } from './trials.ts'

/** The worst of what was measured in many cases, and its maximum. */
export type SickTarget = Target & { readonly contestant: string }

const ofContestant = (contestant: string, one: Target): SickTarget => ({ ...one, contestant })

const ownNames = [edgeRedlock.name, edgeRedlockFrugal.name]

const isOwn = ({ contestant }: { contestant: string }): boolean => ownNames.includes(contestant)

const trialFigures: readonly (readonly [about: string, read: (one: Trials) => number])[] = [
  ['trials of `using` in which both routines ran at once', ({ overlaps }) => overlaps],
  ['locks lost by `using`', ({ lost }) => lost],
  ['trials of `using` in which no routine ran', ({ nobody }) => nobody],
  ['calls of `using` without an answer', ({ unanswered }) => unanswered],
  [
    'trials of `using` left out, since the machine was too busy',
    ({ wanted, trials }) => Math.max(0, wanted - trials),
  ],
]

/**
 * The targets: every burst of this project has one winner, its times and requests with a sick node
 * are near those without, also if no client has met that node before, and no lock is lost or held twice. The ratios are those of the defaults.
 */
export const targetsOf = (
  bursts: readonly SickBursts[],
  fresh: readonly SickBursts[],
  trials: readonly Trials[],
): SickTarget[] => {
  const ofDefaults = bursts.filter(({ contestant }) => contestant === edgeRedlock.name)
  return [
    ...ownNames.flatMap((name) => {
      const figures = [...bursts, ...fresh]
        .filter(({ contestant }) => contestant === name)
        .flatMap(({ well, sick }) => [well, sick])
      const without = figures.reduce((sum, { bursts: all, one }) => sum + all - one, 0)
      if (figures.length === 0) return []
      return ofContestant(name, target('bursts without exactly one winner', without, 0))
    }),
    ...ratioTargets(ofDefaults, maxRatiosOf).map((one) => ofContestant(edgeRedlock.name, one)),
    ...ratioTargets(fresh, maxFreshRatiosOf, freshPrefix).map((one) =>
      ofContestant(edgeRedlock.name, one),
    ),
    ...trialFigures.flatMap(([about, read]) => {
      const counts = trials.filter(isOwn).map(read)
      const sum = counts.reduce((all, count) => all + count, 0)
      return counts.length > 0 ? ofContestant('both strategies', target(about, sum, 0)) : []
    }),
  ]
}
