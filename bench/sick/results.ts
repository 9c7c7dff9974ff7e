import type { Measured } from '../bursts/measured.ts'
import { limitWhere, sickLabels } from '../bursts/sick-nodes.ts'
import { limitTargets, oneWinnerTargets } from '../bursts/targets.ts'
import { isOwn } from '../shared/own.ts'
import type { Columns } from '../shared/table.ts'
import { type Target, target } from '../shared/target.ts'
import type { Trials } from './trials.ts'

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
 * are near those without, also if no client has met that node before, and no lock is lost or held twice.
 */
export const targetsOf = (
  bursts: readonly Measured[],
  fresh: readonly Measured[],
  trials: readonly Trials[],
): Target[] => {
  const ownTrials = trials.filter(isOwn)
  const all = [...bursts, ...fresh].filter(isOwn)
  return [
    ...oneWinnerTargets(all),
    ...limitTargets(all, sickLabels, limitWhere),
    ...trialFigures.flatMap(([about, read]) => {
      const sum = ownTrials.reduce((all, one) => all + read(one), 0)
      return ownTrials.length > 0 ? target(about, sum, 0) : []
    }),
  ]
}

export const trialColumns: Columns<Trials> = {
  library: ({ contestant }) => contestant,
  case: ({ condition }) => condition,
  trials: ({ trials }) => trials,
  'both ran at once': ({ overlaps }) => overlaps,
  'nobody ran': ({ nobody }) => nobody,
  routines: ({ routines }) => routines,
  'lost locks': ({ lost }) => lost,
  'no answer': ({ unanswered }) => unanswered,
  'run again': ({ disturbed }) => disturbed,
}
