import { median, quantile } from './quantile.ts'

/** The end of one burst, in ms from its start. */
export type Burst = {
  /** When each client that won had its answer. */
  readonly winners: readonly number[]
  /** When each client had its answer, whatever it was. `Infinity` stands for no answer in time. */
  readonly answers: readonly number[]
}

/** The figures of many bursts. Times are in ms; undefined where there was no answer. */
export type BurstFigures = {
  readonly bursts: number
  /** How many bursts had exactly one winner. */
  readonly one: number
  /** How many bursts had more than one winner. */
  readonly several: number
  /** The median time to the winner of a burst that has one. */
  readonly toWinner: number | undefined
  /** The 90th percentile of the times of all answers, and the longest of them. */
  readonly p90: number | undefined
  readonly longest: number | undefined
  /** How many clients had no answer in time. */
  readonly unanswered: number
  /** Requests per burst, including everything that follows from it. */
  readonly requests: number
}

const finite = (time: number | undefined): number | undefined =>
  time === Infinity ? undefined : time

/** Sums bursts up. `requests`: of all of them. */
export const figuresOf = (bursts: readonly Burst[], requests: number): BurstFigures => {
  const answers = bursts.flatMap((burst) => burst.answers)
  const firstWinners = bursts.flatMap(({ winners }) =>
    winners.length > 0 ? [Math.min(...winners)] : [],
  )
  return {
    bursts: bursts.length,
    one: bursts.filter(({ winners }) => winners.length === 1).length,
    several: bursts.filter(({ winners }) => winners.length > 1).length,
    toWinner: median(firstWinners),
    p90: finite(quantile(answers, 0.9)),
    longest: finite(quantile(answers, 1)),
    unanswered: answers.filter((time) => time === Infinity).length,
    requests: requests / bursts.length,
  }
}
