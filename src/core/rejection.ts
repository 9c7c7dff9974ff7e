import { slowAfter } from '../local/pace.ts'
import type { Refusal } from '../reports/results.ts'
import { freeIn, tallyOf } from './quorum.ts'
import type { Acquisition, CallRound } from './acquisition.ts'

// What a ballot says that was not won.

/** Whether it asked one node only, as it planned. */
export const wasProbe = ({ plan, seats }: CallRound): boolean =>
  plan.isProbe && !seats[plan.order[1]!]!.asks

/** The refusal that it amounts to. */
export const refusalOf = (ballot: CallRound, reports: Acquisition<unknown>['reports']): Refusal => {
  const { answers, plan, result } = ballot
  const { granted, rejected, failed, silent } = tallyOf(answers)
  const { pace } = ballot.lease.subject.client
  const hasFailed = failed || (silent && ballot.elapsed() >= slowAfter(pace, plan.took))
  // Where too few nodes have answered in time, one that is held is enough, unless others fail or are slow.
  const isSeen =
    granted + rejected >= plan.quorum || (!hasFailed && answers.some((answer) => answer?.holder))
  const isLocked = result === 'held' || (result !== 'unavailable' && isSeen)
  return {
    ok: false,
    reason: isLocked ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, wasProbe(ballot) ? 1 : plan.quorum, 1000),
    nodes: reports(answers),
  }
}
