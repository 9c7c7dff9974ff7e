import { promises } from './weather.ts'
import type { WinnerCount, WinnerCounts } from './winner-counts.ts'

/** The bursts of one kind of weather, or of all kinds with the same promise. */
export type WinnerRate = WinnerCount & {
  readonly weather: string
  /** The share of bursts with a winner. */
  readonly rate: number
  /** The promised share; undefined if nothing is promised. */
  readonly promise: number | undefined
  /** Whether the counts are compatible with the promise. */
  readonly isKept: boolean
}

// The promise allows an occasional burst without a winner. In a short run, even a single such burst exceeds the promised
// share. So a promise counts as broken only if a core that barely keeps it is unlikely to lose that many bursts. This is
// the probability below which that counts as unlikely.
const significance = 0.001

/**
 * The probability that at least `lost` bursts are lost if each burst is lost with the probability `chance`. This is one
 * minus the sum of the binomial distribution below `lost`. The terms are logarithms, because the first term underflows
 * in a long run.
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
 * Compares the bursts of a run with the promises: first each kind of weather, then the totals for each promise. The
 * totals reveal losses that are too rare to show in a single kind.
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
