import { median, quantile } from './quantile.ts'

/** What one burst ended with: the ms to each winner, and to each answer, that of a winner included. */
export type Burst = { readonly winners: readonly number[]; readonly answers: readonly number[] }

/** The figures of many bursts. Times are in ms from the start of a burst. */
export type BurstFigures = {
  readonly bursts: number
  /** How many bursts had exactly one winner. */
  readonly one: number
  /** The median time to the winner; undefined where no burst had one. */
  readonly toWinner: number | undefined
  /** The 90th percentile of the times of all answers, and the longest of them. */
  readonly p90: number | undefined
  readonly longest: number | undefined
  /** Requests per burst, including everything that follows from it. */
  readonly requests: number
}

/** Sums bursts up. `requests`: of all of them. */
export const figuresOf = (bursts: readonly Burst[], requests: number): BurstFigures => {
  const answers = bursts.flatMap((burst) => burst.answers)
  const firstWinners = bursts.flatMap(({ winners }) =>
    winners.length > 0 ? [Math.min(...winners)] : [],
  )
  return {
    bursts: bursts.length,
    one: bursts.filter(({ winners }) => winners.length === 1).length,
    toWinner: median(firstWinners),
    p90: quantile(answers, 0.9),
    longest: quantile(answers, 1),
    requests: requests / bursts.length,
  }
}
