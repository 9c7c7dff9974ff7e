import type { Measured } from '../bursts/measured.ts'
import { groupsOf } from '../shared/groups.ts'
import type { Chart, Point } from './chart.ts'
import type { All } from './results.ts'

/** A figure of bursts over the number of clients: of several cases, the worst one. */
const burstsOver = (
  rows: readonly Measured[],
  read: (row: Measured) => number | null | undefined,
  worst: (...values: number[]) => number = Math.max,
): Point[] =>
  groupsOf(rows, ({ contestant, size }) => `${contestant} ${size}`).map((same) => {
    const values = same.map(read)
    const isKnown = values.every((value) => typeof value === 'number')
    const { contestant: name, size } = same[0]!
    return { name, x: `${size}`, y: isKnown ? worst(...values) : undefined }
  })

const shareOfOne = ({ one, bursts }: Measured): number => (100 * one) / bursts
const overClients = { type: 'line', x: 'clients at once' } as const
const percentage = { min: 0, max: 100 }
const logarithmic = { type: 'log' }

/** All charts, by the names of their files. */
export const chartsOf = (all: All): { readonly [name: string]: Chart } => {
  const { latency, contention, sick } = all
  const { bursts } = contention.result
  const hanging = sick.result.bursts.filter(({ condition }) => condition.endsWith('hangs'))
  return {
    latency: {
      type: 'bar',
      title: 'Median acquire, over the quorum-th fastest reply of its own round (none: no answer)',
      y: 'times the minimum',
      points: latency.result.results.map(({ contestant, weather, ratio }) => ({
        name: contestant,
        x: weather,
        y: ratio,
      })),
    },
    winners: {
      ...overClients,
      title: 'Bursts with exactly one winner',
      y: '% of all bursts',
      axis: percentage,
      points: burstsOver(bursts, shareOfOne),
    },
    'burst-requests': {
      ...overClients,
      title: 'Requests of a burst',
      y: 'requests',
      axis: logarithmic,
      points: burstsOver(bursts, ({ requests }) => requests),
    },
    'sick-winners': {
      ...overClients,
      title: 'Bursts with exactly one winner while one of five nodes hangs',
      y: '% of all bursts',
      axis: percentage,
      points: burstsOver(hanging, shareOfOne, Math.min),
    },
    'sick-answers': {
      ...overClients,
      title: 'p90 of all answers while one of five nodes hangs (none: no answer within seconds)',
      y: 'ms',
      axis: logarithmic,
      points: burstsOver(hanging, ({ p90 }) => p90),
    },
  }
}
