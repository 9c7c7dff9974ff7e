import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import type { SickBursts } from './bursts.ts'
import { maxRatios, maxRatiosOf, names, type Ratios } from './ratios.ts'
import type { Trials } from './trials.ts'

/** The worst of what was measured in many cases, and its maximum. */
export type SickTarget = {
  readonly about: string
  readonly contestant: string
  readonly value: number
  readonly most: number
  readonly isMet: boolean
}

const ownNames = [edgeRedlock.name, edgeRedlockFrugal.name]

const isOwn = ({ contestant }: { contestant: string }): boolean => ownNames.includes(contestant)

const labels: { readonly [name in keyof Ratios]: string } = {
  toWinner: 'median time to the winner with a sick node, over that with all well',
  p90: 'p90 of all answers with a sick node, over that with all well',
  requests: 'requests of a burst with a sick node, over those with all well',
}

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
 * are near those without, and no lock is lost or held twice. The ratios are those of the defaults.
 */
export const targetsOf = (
  bursts: readonly SickBursts[],
  trials: readonly Trials[],
): SickTarget[] => {
  const target = (about: string, contestant: string, value: number, most: number): SickTarget => ({
    about,
    contestant,
    value,
    most,
    // A figure that could not be measured meets no target.
    isMet: value <= most,
  })
  const ofDefaults = bursts.filter(({ contestant }) => contestant === edgeRedlock.name)
  return [
    ...ownNames.flatMap((name) => {
      const figures = bursts
        .filter(({ contestant }) => contestant === name)
        .flatMap(({ well, sick }) => [well, sick])
      const without = figures.reduce((sum, { bursts: all, one }) => sum + all - one, 0)
      return figures.length > 0 ? target('bursts without exactly one winner', name, without, 0) : []
    }),
    ...names.flatMap((name) => {
      // A larger maximum of one size counts as the usual one.
      const values = ofDefaults.map(
        ({ size, ratios }) => (ratios[name] * maxRatios[name]) / maxRatiosOf(size)[name],
      )
      if (values.length === 0) return []
      return target(labels[name], edgeRedlock.name, Math.max(...values), maxRatios[name])
    }),
    ...trialFigures.flatMap(([about, read]) => {
      const counts = trials.filter(isOwn).map(read)
      const sum = counts.reduce((all, count) => all + count, 0)
      return counts.length > 0 ? target(about, 'both strategies', sum, 0) : []
    }),
  ]
}
