import type { BurstFigures } from './burst-figures.ts'
import { type Target, target } from './target.ts'

// Of so many bursts, one may end without a winner. None may have two.
const burstsPerLoss = 10_000

/** The promise about bursts with all nodes well or one of them sick: 99.99 % have exactly one winner. */
export const winnerTargets = (results: readonly BurstFigures[]): Target[] => {
  const sum = (read: (one: BurstFigures) => number): number =>
    results.reduce((total, one) => total + read(one), 0)
  const bursts = sum((one) => one.bursts)
  const several = sum((one) => one.several)
  const without = bursts - several - sum(({ one }) => one)
  return [
    target(`${bursts} bursts, without a winner`, without, Math.floor(bursts / burstsPerLoss)),
    target(`${bursts} bursts, with several winners`, several, 0),
  ]
}
