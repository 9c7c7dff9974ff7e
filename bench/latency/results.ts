import { median, quantile } from 'simple-statistics'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { statisticOf } from '../shared/statistic.ts'
import { type Columns, figure } from '../shared/table.ts'
import { type Target, target } from '../shared/target.ts'
import type { NetworkCondition } from './conditions.ts'
import type { Acquires } from './measure.ts'

/** The figures of one contestant under one condition, over the acquires that settled. */
export const figuresOf = (
  { name, maxRatio }: NetworkCondition,
  { contestant, timed, unanswered, failed }: Acquires,
) => {
  const took = timed.map((one) => one.took)
  const minimum = statisticOf(
    timed.map((one) => one.minimum),
    median,
  )
  const p50 = statisticOf(took, median)
  return {
    weather: name,
    contestant,
    answered: timed.length,
    unanswered,
    failed,
    p50,
    p99: statisticOf(took, (all) => quantile(all, 0.99)),
    minimum,
    ratio: p50 !== undefined && minimum !== undefined ? p50 / minimum : undefined,
    medianRatio: statisticOf(
      timed.map((one) => one.took / one.minimum),
      median,
    ),
    // The targets hold for the default strategy.
    most: contestant === edgeRedlock.name ? maxRatio : undefined,
  }
}
export type Latency = ReturnType<typeof figuresOf>

export const targetsOf = (results: readonly Latency[]): Target[] =>
  results.flatMap(({ weather, ratio = NaN, most, unanswered, failed }) =>
    most === undefined
      ? []
      : [
          target(`acquire p50 over the quorum-th fastest reply, ${weather}`, ratio, most),
          target(`acquires without success, ${weather}`, unanswered + failed, 0),
        ],
  )

export const latencyColumns: Columns<Latency> = {
  network: ({ weather }) => weather,
  library: ({ contestant }) => contestant,
  'p50 ms': ({ p50 }) => figure(p50),
  'p99 ms': ({ p99 }) => figure(p99),
  'minimum ms': ({ minimum }) => figure(minimum),
  'p50 / minimum': ({ ratio }) => figure(ratio, 3),
  'each / minimum': ({ medianRatio }) => figure(medianRatio, 3),
  'no answer': ({ unanswered }) => unanswered || '',
  failed: ({ failed }) => failed || '',
}
