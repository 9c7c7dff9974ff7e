import { figure, table } from './markdown.ts'
import type { Results } from './results.ts'

export const httpTable = ({ results }: Results['http']): string =>
  table(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'commands'],
    results.map(({ name, perSecond, p50, p99, commands }) => [
      name,
      figure(perSecond, 0),
      figure(p50),
      figure(p99),
      commands,
    ]),
  )

export const byHandTable = ({ byHand }: Results['http']): string =>
  table(
    ['in turn', 'Worker', 'requests/s', 'processor ms of the Worker', 'ratio of the middleware'],
    byHand.flatMap(({ name, figures, ratio, bareRatio }) =>
      (
        [
          ['middleware', figures.middleware, undefined],
          ['by hand', figures.byHand, ratio],
          ['bare', figures.bare, bareRatio],
        ] as const
      ).map(([worker, { perSecond, processor }, to]) => [
        name,
        worker,
        figure(perSecond, 0),
        figure(processor),
        figure(to),
      ]),
    ),
  )
