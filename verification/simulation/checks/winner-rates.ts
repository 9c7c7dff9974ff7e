import { promises } from './weather.ts'
import type { WinnerCount, WinnerCounts } from './winner-counts.ts'

/** The bursts of one kind of weather, or of all kinds with the same promise. */
export type WinnerRate = WinnerCount & {
  readonly weather: string
  /** The share of bursts with a winner. */
  readonly rate: number
  /** The share that is promised; undefined for none. */
  readonly promise: number | undefined
  /** Whether the counts are compatible with the promise. */
  readonly isKept: boolean
}

// A burst without a winner now and then is within the promise, and in a short run a single one is already a
// larger share than that. So a promise counts as broken only where a core that just keeps it would lose so
// many bursts in one of a thousand runs.
const significance = 0.001

/**
 * The probability that of so many bursts at least `lost` are lost, where each is with the probability
 * `chance`: one less the binomial distribution up to there. In logarithms, since the first of its terms is
 * below any number in a long run.
 */
export const chanceOfLosing = ({ bursts, lost }: WinnerCount, chance: number): number => {
  let term = bursts * Math.log1p(-chance)
  let fewer = 0
  for (let count = 0; count < lost; count++) {
    fewer += Math.exp(term)
    term += Math.log(((bursts - count) / (count + 1)) * (chance / (1 - chance)))
  }
  return Math.max(0, 1 - fewer)
}

const rateOf = (weather: string, count: WinnerCount, promise: number | undefined): WinnerRate => ({
  weather,
  ...count,
  rate: 1 - count.lost / count.bursts,
  promise,
  isKept: promise === undefined || chanceOfLosing(count, 1 - promise) >= significance,
})

/**
 * Compares the bursts of a run with what is promised: each kind of weather, in the order of the list, then all
 * kinds with the same promise together, which notices what is too rare in each of them.
 */
export const winnerRates = (counts: WinnerCounts): WinnerRate[] => {
  const totals = new Map<number, WinnerCount>()
  const rates: WinnerRate[] = []
  for (const [weather, promise] of Object.entries(promises)) {
    const count = counts.get(weather as keyof typeof promises)
    if (!count) continue
    rates.push(rateOf(weather, count, promise))
    if (promise === undefined) continue
    const { bursts, lost } = totals.get(promise) ?? { bursts: 0, lost: 0 }
    totals.set(promise, { bursts: bursts + count.bursts, lost: lost + count.lost })
  }
  for (const [promise, total] of totals) {
    rates.push(rateOf(`all with ${(100 * promise).toFixed(2)} %`, total, promise))
  }
  return rates
}
