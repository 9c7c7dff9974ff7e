import type { HeldOutcome, ReadOutcome } from '../outcome.ts'
import { heldOutcomeOf } from '../quorum.ts'
import { done, nextTurn, type RoundView, type Rule, undecided } from '../rule.ts'

// The rules for rounds that acquire no lock: those for a lock that this client holds, and read-only ones.

/** Whether a node has yet to answer. */
export const isOpen = ({ answers, plan }: RoundView): boolean =>
  plan.order.some((rank) => !answers[rank])

/** Asks nodes until a quorum confirms the lock, or until none can. */
export const confirmRule: Rule<HeldOutcome> = (round, now) => {
  const { order, operation, quorum } = round.plan
  // A release skips the nodes that do not hold the lock.
  const spared = operation.frees ? round.nodes.length - order.length : 0
  const outcome = heldOutcomeOf(round.answers, quorum, spared)
  if (outcome) return outcome === 'unavailable' ? undecided(outcome) : done(outcome)
  return isOpen(round) ? nextTurn(round, now) : undecided('unavailable')
}

/** Like `confirmRule`, but asks all nodes even after the outcome is known. */
export const releaseRule: Rule<HeldOutcome> = (round, now) => {
  const turn = nextTurn(round, now)
  // An outcome stops the timer, so the round must not end before the last turn.
  return 'send' in turn || turn.wakeAt < Infinity ? turn : confirmRule(round, now)
}

/** Waits for all nodes. */
export const readRule: Rule<ReadOutcome> = (round, now) =>
  isOpen(round) ? nextTurn(round, now) : undecided('complete')
