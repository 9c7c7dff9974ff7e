import type { Answers } from '../vote/tally.ts'
import {
  isOpen,
  type NextStep,
  nextTurn,
  patienceWith,
  settle,
  tookOf,
  waitFor,
} from '../vote/next-step.ts'

/** The steps of a poll that is over once its answers decide, and does not wait for nodes that are late. */
export const nextOfPoll =
  (isDecided: (answers: Answers) => boolean): NextStep<'done'> =>
  (view, plan, pace, now) => {
    const { answers, seats } = view
    if (isDecided(answers) || !isOpen(view, plan)) return settle('done')
    const turn = nextTurn(view, plan, pace, now)
    if ('ask' in turn) return turn
    const patience = patienceWith(seats, pace, tookOf(seats, plan.quorum))
    let until = 0
    for (const [index, { askedAt }] of seats.entries())
      if (!answers[index])
        until = Math.max(until, askedAt + waitFor(patience, plan.roundTrips[index]))
    return now < until ? { until: Math.min(turn.until, until) } : settle('done')
  }
