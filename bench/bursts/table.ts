import { type Columns, figure, percent } from '../shared/table.ts'
import { type Measured, missedOf, type RatioName } from './measured.ts'

/** A figure, followed by its multiple of the baseline. */
const withRatio = (value: number | null | undefined, row: Measured, name: RatioName): string =>
  row.ratios ? `${figure(value, 1)} (x ${figure(row.ratios[name])})` : figure(value, 1)

/** The columns of every table of bursts. */
export const burstColumns: Columns<Measured> = {
  library: ({ contestant }) => contestant,
  'at once': ({ size }) => size,
  case: ({ condition }) => condition,
  bursts: ({ bursts }) => bursts,
  'one winner': ({ one, bursts }) => percent(one, bursts),
  several: ({ several, bursts }) => percent(several, bursts),
  'ms to the winner': (row) => withRatio(row.toWinner, row, 'winner'),
  'p90 of answers': (row) => withRatio(row.p90, row, 'answers'),
  longest: (row) => withRatio(row.longest, row, 'longest'),
  'no answer': ({ unanswered }) => unanswered || '',
  requests: (row) => withRatio(row.requests, row, 'requests'),
  missed: (row) => missedOf(row).join(' '),
}
