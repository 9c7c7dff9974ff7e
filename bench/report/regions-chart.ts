import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { draw, groupedBars, unique } from './chart.ts'
import type { Results } from './results.ts'

const names = { parallel: edgeRedlock.name, frugal: edgeRedlockFrugal.name }

/** Draws bursts of locks over five regions: the worst case of each group and order, for both strategies. */
export const drawRegions = async ({ results }: Results['regions']): Promise<void> => {
  const locks = results.filter(({ want }) => want === 'lock')
  const groups = unique(locks.map(({ group }) => group))
  const series = (['parallel', 'frugal'] as const).map((strategy) => ({
    name: names[strategy],
    data: groups.map((group) =>
      Math.max(
        ...locks
          .filter((one) => one.strategy === strategy && one.group === group)
          .map(({ figures }) => figures.winner),
      ),
    ),
  }))
  const text = 'Median time to the winner of a lock over five regions, over the quorum-th reply'
  await draw('regions', groupedBars(text, 'times the minimum', groups, series, 2))
}
