import { type Columns, figure } from '../shared/table.ts'
import { atLeast, type Target, target } from '../shared/target.ts'
import type { AgainstByHand } from './by-hand/measure.ts'
import type { MeasuredRoute } from './measure-routes.ts'
import { free } from './routes.ts'

// The fraction of the requests per second by hand that the middleware must serve. A lock reads the body to detect its
// end: that is the price of leaving the user's context alone.
const minRatio = (name: string): number => (name === free ? 0.9 : 0.95)

export const targetsOf = (
  routes: readonly MeasuredRoute[],
  byHand: readonly AgainstByHand[],
): Target[] => [
  ...routes.map(({ name, commands, maxCommands }) =>
    target(`commands per request, ${name}`, commands, maxCommands),
  ),
  ...byHand.map(({ name, ratio }) =>
    atLeast(
      `requests per second against the same requests by hand, ${name}`,
      ratio,
      minRatio(name),
    ),
  ),
  target(
    'requests without a right response',
    [...routes, ...byHand].reduce((sum, { failed = 0 }) => sum + failed, 0),
    0,
  ),
]

export const routeColumns: Columns<MeasuredRoute> = {
  route: ({ name }) => name,
  'requests/s': ({ perSecond }) => figure(perSecond, 0),
  'p50 ms': ({ p50 }) => figure(p50),
  'p99 ms': ({ p99 }) => figure(p99),
  'processor ms': ({ processor }) => figure(processor),
  commands: ({ commands }) => commands,
}

/** A Worker in a comparison. */
type Row = {
  readonly name: string
  readonly worker: string
  readonly perSecond: number
  readonly processor: number | undefined
  readonly ratio?: number
  readonly ratios?: readonly number[]
}

export const byHandRows = (results: readonly AgainstByHand[]): Row[] =>
  results.flatMap(({ name, figures: { middleware, byHand, bare }, ratio, ratios, bareRatio }) => [
    { name, worker: 'middleware', ...middleware },
    { name, worker: 'by hand', ...byHand, ratio, ratios },
    { name, worker: 'bare', ...bare, ratio: bareRatio },
  ])

export const byHandColumns: Columns<Row> = {
  'in turn': ({ name }) => name,
  Worker: ({ worker }) => worker,
  'requests/s': ({ perSecond }) => figure(perSecond, 0),
  'processor ms of the Worker': ({ processor }) => figure(processor),
  'ratio of the middleware': ({ ratio }) => figure(ratio),
  'of the rounds': ({ ratios = [] }) => ratios.map((one) => figure(one)).join(' '),
}
