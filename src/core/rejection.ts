import { slowAfter } from '../local/pace.ts'
import type { Refusal } from '../reports/results.ts'
import type { Acquisition, CallRound } from './acquisition.ts'
import { freeIn, tallyOf } from './quorum.ts'

/** Whether only the first node was asked, as planned. */
export const wasProbe = ({ plan, nodes }: CallRound): boolean =>
  plan.isProbe && !nodes[plan.order[1]!]!.requests

/** Turns a round that acquired nothing into the rejection of its call. */
export const rejectionOf = (
  round: CallRound,
  reports: Acquisition<unknown>['reports'],
): Refusal => {
  const { answers, plan, outcome } = round
  const { granted, rejected, failed, silent } = tallyOf(answers)
  const hasFailed = failed || (silent && round.elapsed() >= slowAfter(plan.pace, plan.took))
  // One holder is enough to report `locked`, unless nodes have failed or are slow.
  const isSeen =
    granted + rejected >= plan.quorum || (!hasFailed && answers.some((answer) => answer?.holder))
  const isHeld = outcome === 'held' || (outcome !== 'unavailable' && isSeen)
  return {
    ok: false,
    reason: isHeld ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, wasProbe(round) ? 1 : plan.quorum, 1000),
    nodes: reports(answers),
  }
}
