import type { AboutKeys, KeyCommand, Terms } from '../protocol/command.ts'
import { type Rule, nextTurn, type Plan, settle, undecided, type View } from './rules/acquire.ts'
import type { HeldOutcome, ReadOutcome } from './outcome.ts'
import { voteOf } from './quorum.ts'

/** A command on a lease, and what it means for the nodes that are asked. */
export type Operation = {
  /** Makes the command for the nodes that are about to be asked. */
  readonly make: (
    about: AboutKeys,
    terms: Terms,
    view: View,
    plan: Plan,
    nodes: readonly number[],
  ) => KeyCommand
  /** Whether a node that refuses it cannot hold the lease. */
  readonly writes?: boolean
  /** Whether a node may hold the lease as soon as it was asked. */
  readonly locks?: boolean
  /** Whether a node may hold the lease again, although it was not asked yet. */
  readonly restores?: boolean
  /** Whether it ends the lease, so that each node that may hold it has to be asked. */
  readonly frees?: boolean
}

// Ms for which a node remembers a release, so that an acquire that arrives after it grants nothing.
export const tombstoneTtl = 60_000

export const acquiring: Operation = {
  make: (about, terms) => ({ op: 'acquire', ...about, ...terms }),
  writes: true,
  locks: true,
}
export const extending: Operation = {
  make: (about, terms) => ({ op: 'extend', ...about, ...terms }),
  writes: true,
  restores: true,
}
export const inspecting: Operation = { make: (about) => ({ op: 'inspect', ...about }) }
export const releasing: Operation = {
  make: (about) => ({ op: 'release', ...about, tombstoneTtl }),
  frees: true,
}

/** Whether a node has not answered. */
export const isOpen = ({ answers }: View, { order }: Plan): boolean =>
  order.some((index) => !answers[index])

/** The steps of a vote on a lock that is held. */
export const confirmRule: Rule<HeldOutcome> = (view, plan, pace, now) => {
  const vote = voteOf(view.answers, plan.quorum)
  if (vote) return vote === 'unavailable' ? undecided(vote) : settle(vote)
  return isOpen(view, plan) ? nextTurn(view, plan, pace, now) : undecided('unavailable')
}

/** The steps of a release, which reaches all nodes, also after its result is known. */
export const releaseRule: Rule<HeldOutcome> = (view, plan, pace, now) => {
  const turn = nextTurn(view, plan, pace, now)
  // The result ends the timer, so it has to wait for the last turn.
  return 'ask' in turn || turn.until < Infinity ? turn : confirmRule(view, plan, pace, now)
}

/** The steps of an inspection, which waits for all nodes. */
export const readRule: Rule<ReadOutcome> = (view, plan, pace, now) =>
  isOpen(view, plan) ? nextTurn(view, plan, pace, now) : undecided('complete')
