import { type Target, target } from '../shared/target.ts'
import type { Measured } from './measured.ts'
import { withAir } from './targets.ts'

// The maximum median time to the winner over that of a client alone, by how many come simultaneously.
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
    const about = `${size} at once: median time to the winner over that of one alone`
    return alone && time ? target(about, time / alone, withAir(most)) : []
  })
}
