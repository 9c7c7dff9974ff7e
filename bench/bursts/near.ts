import { type Target, target } from '../shared/target.ts'
import type { Measured } from './measured.ts'
import { withAir } from './targets.ts'

// For bursts of each size: the maximum of the median time to the winner, as a multiple of the median of one client
// alone.
const limits: readonly [size: number, most: number][] = [
  [2, 1.6],
  [5, 2.2],
  [50, 3],
]

/** The targets of bursts near the nodes, if one client alone was measured as well. */
export const nearTargets = (rows: readonly Measured[], contestant: string): Target[] => {
  const timeOf = (size: number): number | undefined =>
    rows.find((row) => row.size === size && row.contestant === contestant)?.toWinner
  const alone = timeOf(1)
  return limits.flatMap(([size, most]) => {
    const time = timeOf(size)
    const about = `${size} simultaneous clients: median time to the winner, relative to one client alone`
    return alone && time ? target(about, time / alone, withAir(most)) : []
  })
}
