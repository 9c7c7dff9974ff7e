import { type Pace, usualPace } from '../../../src/core/process/pace.ts'
import { type Random, randomFrom } from '../../../tools/random.ts'

// In a share of the histories, no time constant of the core has its usual value, so nothing can depend on a lucky one.

const share = 1 / 3
// Constants change by at most this factor, up or down.
const maxFactor = 2

/**
 * Draws the pace of a history: the usual one, or one with each constant between half and double. It always takes the
 * same number of random numbers from the history. So a new constant changes only the histories at another pace.
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
