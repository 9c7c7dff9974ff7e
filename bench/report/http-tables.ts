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

export const bareTable = ({ bare }: Results['http']): string =>
  table(
    ['in turn', 'requests/s', 'bare Worker', 'ratio', 'processor ms of the Worker', 'bare Worker'],
    bare.map(({ name, middleware, bare, ratio }) => [
      name,
      figure(middleware.perSecond, 0),
      figure(bare.perSecond, 0),
      figure(ratio),
      figure(middleware.processor),
      figure(bare.processor),
    ]),
  )
