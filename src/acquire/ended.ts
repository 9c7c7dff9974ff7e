import { slowAfter } from '../local/pace.ts'
import type { Refusal } from '../reports/results.ts'
import { freeIn, tallyOf } from '../vote/tally.ts'
import type { Contest, ContestBallot } from './contest.ts'

// What a ballot says that was not won.

/** Whether it asked one node only, as it planned. */
export const isAlone = ({ plan, seats }: ContestBallot): boolean =>
  plan.isProbe && !seats[plan.order[1]!]!.asks

/** The refusal that it amounts to. */
export const refusalOf = (ballot: ContestBallot, reports: Contest<unknown>['reports']): Refusal => {
  const { answers, plan, result } = ballot
  const { granted, refused, failed, silent } = tallyOf(answers)
  const { pace } = ballot.lease.subject.client
  const hasFailed = failed || (silent && ballot.elapsed() >= slowAfter(pace, plan.took))
  // Where too few nodes have answered in time, one that is held is enough, unless others fail or are slow.
  const isSeen =
    granted + refused >= plan.quorum || (!hasFailed && answers.some((answer) => answer?.holder))
  const isLocked = result === 'locked' || (result !== 'unavailable' && isSeen)
  return {
    ok: false,
    reason: isLocked ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, isAlone(ballot) ? 1 : plan.quorum, 1000),
    nodes: reports(answers),
  }
}
