import { slowAfter } from './process/pace.ts'
import { unsent } from './results/node-report.ts'
import { type Rejection, unknownRetryAfter } from './results/results.ts'
import { RedlockError } from '../util/redlock-error.ts'
import type { Acquisition, CallRound } from './acquisition.ts'
import type { Subject } from './attempt.ts'
import { freeIn, tallyOf } from './quorum.ts'

/** The rejection of a call whose `wait` ends before any node has answered its queue. */
export const unheard: Rejection = {
  ok: false,
  reason: 'unavailable',
  retryAfter: unknownRetryAfter,
  nodes: [],
}

/** Rejects a call because earlier calls of the same request have used up the shared budget. */
export const rejectUnsent = ({ client: { nodes, warn }, keys, emit }: Subject): Rejection => {
  const error = new RedlockError(unsent)
  const reports = nodes.map(({ name }) => ({ node: name, status: 'error' as const, error }))
  const rejection: Rejection = { ...unheard, nodes: reports }
  emit?.({ type: 'rejected', keys, elapsed: 0, attempts: 0, ...rejection })
  const text = 'the `budget` of a request is used up: raise it, or use fewer middleware'
  warn?.('ERL22', text, 'budget')
  return rejection
}

/** Whether only the first node was asked, as planned. */
export const wasProbe = ({ plan, nodes }: CallRound): boolean =>
  plan.isProbe && !nodes[plan.order[1]!]!.requests

/** The rejection that a call reports after a round that acquired nothing. */
export const rejectionOf = (
  round: CallRound,
  reports: Acquisition<unknown>['reports'],
): Rejection => {
  const { answers, plan, outcome } = round
  const { granted, rejected, failed, silent } = tallyOf(answers)
  const hasFailed = failed || (silent && round.elapsed() >= slowAfter(plan.pace, plan.took))
  // One node that names a holder is enough to report `locked`, unless other nodes failed or are slow.
  const isSeen =
    granted + rejected >= plan.quorum || (!hasFailed && answers.some((answer) => answer?.holder))
  const isHeld = outcome === 'taken' || (outcome !== 'unavailable' && isSeen)
  return {
    ok: false,
    reason: isHeld ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, wasProbe(round) ? 1 : plan.quorum),
    nodes: reports(answers),
  }
}
