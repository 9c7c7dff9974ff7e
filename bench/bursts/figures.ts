import { max, median, quantile } from 'simple-statistics'
import { statisticOf } from '../shared/statistic.ts'
import type { Run } from './run.ts'

/** The figures of many bursts. Times are in ms; undefined if there was no answer. */
export type BurstFigures = {
  readonly bursts: number
  /** How many bursts had exactly one winner. */
  readonly one: number
  /** How many bursts had more than one winner. */
  readonly several: number
  /** The median time to the winner, over bursts that have one. */
  readonly toWinner: number | undefined
  /** The 90th percentile and the maximum of all response times. */
  readonly p90: number | undefined
  readonly longest: number | undefined
  /** The number of clients without an answer in time. */
  readonly unanswered: number
  /** Requests per burst, including everything that follows from it. */
  readonly requests: number
}

export const figuresOf = ({ bursts, requests }: Run): BurstFigures => {
  const answers = bursts.flatMap((burst) => burst.answers)
  const firstWinners = bursts.flatMap(({ winners }) =>
    winners.length > 0 ? [Math.min(...winners)] : [],
  )
  return {
    bursts: bursts.length,
    one: bursts.filter(({ winners }) => winners.length === 1).length,
    several: bursts.filter(({ winners }) => winners.length > 1).length,
    toWinner: statisticOf(firstWinners, median),
    p90: statisticOf(answers, (times) => quantile(times, 0.9)),
    longest: statisticOf(answers, max),
    unanswered: answers.filter((time) => time === Infinity).length,
    requests: requests / bursts.length,
  }
}
