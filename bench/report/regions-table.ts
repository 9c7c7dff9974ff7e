import { summarize } from '../regions/summary.ts'
import { figure, percent, table } from './markdown.ts'
import type { Results } from './results.ts'

/** The worst case of each group. */
export const regionsTable = ({ results }: Results['regions']): string =>
  table(
    [
      'clients',
      '',
      '',
      'order of the nodes',
      'exactly one winner',
      'time to the winner',
      'p90 of answers',
      'longest',
      'requests',
    ],
    summarize(results).map(({ group, strategy, want, order, one, bursts, figures }) => [
      group,
      strategy,
      want,
      order,
      percent(one, bursts),
      figure(figures.winner),
      figure(figures.answers),
      figure(figures.longest),
      figure(figures.requests, 1),
    ]),
  )
