import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { maxRatios } from '../sick/ratios.ts'
import { draw, groupedBars, lines, unique } from './chart.ts'
import type { Results } from './results.ts'

type Bursts = Results['sick']['bursts'][number]

const isHanging = ({ condition }: Bursts): boolean => condition.endsWith('hangs')

/** The largest value; undefined where one is missing, which JSON has as null. */
const worst = (values: readonly (number | null | undefined)[]): number | undefined => {
  const known = values.filter((value) => typeof value === 'number')
  return known.length > 0 && known.length === values.length ? Math.max(...known) : undefined
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const shareWithOneWinner = (all: readonly Bursts[]): number =>
  (100 * sum(all.map(({ sick }) => sick.one))) / sum(all.map(({ sick }) => sick.bursts))

/** Draws bursts with a sick node. Of the times at several places of that node, the worst counts. */
export const drawSick = async ({ bursts }: Results['sick']): Promise<void> => {
  const sizes = unique(bursts.map(({ size }) => size))
  const hanging = bursts.filter(isHanging)
  const seriesOf = (read: (places: readonly Bursts[]) => number | undefined) =>
    unique(hanging.map(({ contestant }) => contestant)).map((name) => ({
      name,
      data: sizes.map((size) =>
        read(hanging.filter((one) => one.contestant === name && one.size === size)),
      ),
    }))
  const axis = { name: 'ms', nameLocation: 'middle', nameGap: 46, type: 'log' } as const
  await draw(
    'sick-winners',
    lines(
      'Bursts with exactly one winner while one of five nodes hangs',
      { ...axis, type: 'value', name: '% of all bursts', min: 0, max: 100 },
      sizes,
      seriesOf(shareWithOneWinner),
    ),
  )
  await draw(
    'sick-times',
    lines(
      'Median time to the winner while one of five nodes hangs, where there is one',
      axis,
      sizes,
      seriesOf((places) => worst(places.map(({ sick }) => sick.toWinner))),
    ),
  )
  await draw(
    'sick-answers',
    lines(
      'p90 of all answers while one of five nodes hangs (none: no answer within seconds)',
      axis,
      sizes,
      seriesOf((places) => worst(places.map(({ sick }) => sick.p90))),
    ),
  )
  const own = bursts.filter(({ contestant }) => contestant === edgeRedlock.name)
  const ratioOf = (name: keyof typeof maxRatios) =>
    sizes.map((size) =>
      worst(own.filter((one) => one.size === size).map((one) => one.ratios[name])),
    )
  await draw(
    'sick-ratios',
    groupedBars(
      `edge-redlock with the worst sick node, over all nodes well (targets: ${maxRatios.toWinner}, ${maxRatios.p90}, ${maxRatios.requests})`,
      'times',
      sizes.map((size) => `${size} clients`),
      [
        { name: 'time to the winner', data: ratioOf('toWinner') },
        { name: 'p90 of all answers', data: ratioOf('p90') },
        { name: 'requests', data: ratioOf('requests') },
      ],
      2,
    ),
  )
}
