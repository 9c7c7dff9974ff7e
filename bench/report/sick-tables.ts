import type { BurstFigures } from '../shared/burst-figures.ts'
import { figure, percent, table } from './markdown.ts'
import type { Results } from './results.ts'

/** A figure with all nodes well, and with one of them sick. */
const both = (well: string, sick: string): string => `${well} → ${sick}`

const columns: readonly ((figures: BurstFigures) => string)[] = [
  ({ one, bursts }) => percent(one, bursts),
  ({ toWinner }) => figure(toWinner, 0),
  ({ p90 }) => figure(p90, 0),
  ({ longest }) => figure(longest, 0),
  ({ requests }) => figure(requests, 1),
]

export const sickTable = (bursts: Results['sick']['bursts']): string =>
  table(
    [
      'at once',
      '',
      'sick node',
      'bursts',
      'exactly one winner',
      'ms to the winner',
      'p90 of answers',
      'longest',
      'requests',
    ],
    bursts.map(({ size, contestant, condition, well, sick }) => [
      size,
      contestant,
      condition,
      sick.bursts,
      ...columns.map((read) => both(read(well), read(sick))),
    ]),
  )

export const trialsTable = ({ trials }: Results['sick']): string =>
  table(
    [
      '',
      '',
      'trials',
      'both ran at once',
      'nobody ran',
      'routines',
      'lost locks',
      'no answer',
      'run again',
    ],
    trials.map((one) => [
      one.contestant,
      one.condition,
      one.trials,
      one.overlaps,
      one.nobody,
      one.routines,
      one.lost,
      one.unanswered,
      one.disturbed,
    ]),
  )
