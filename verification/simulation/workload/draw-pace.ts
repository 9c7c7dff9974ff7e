import { type Pace, usualPace } from '../../../src/core/process/pace.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'

// In a share of the histories, all time constants of the core differ from their usual values. This shows whether
// correctness depends on a particular value.

const share = 1 / 3
// Constants change by at most this factor, up or down.
const maxFactor = 2

/**
 * Draws the pace of a history: the usual pace, or one with each constant between half and double. This always consumes
 * the same number of the history's random numbers, so a new constant changes only histories at an unusual pace.
 */
export const drawPace = (history: Random): Pace => {
  const isUsual = !history.chance(share)
  const random = randomFrom(history.whole(0, 2 ** 31))
  if (isUsual) return usualPace
  const drawn = Object.entries(usualPace).map(([name, value]) => [
    name,
    value * maxFactor ** random.between(-1, 1),
  ])
  return Object.fromEntries(drawn) as Pace
}
