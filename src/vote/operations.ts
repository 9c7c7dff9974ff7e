import type { Operation as Letter, Script } from '../protocol/script.ts'
import {
  type NextStep,
  nextTurn,
  type Plan,
  settle,
  settleUndecided,
  type View,
} from './next-step.ts'
import { type Vote, voteOf } from './tally.ts'

/** An operation of the scripts, and what it means for the nodes that are asked. */
export type Operation = {
  readonly letter: Letter
  /** Whether a node that refuses it cannot hold the lease. */
  readonly writes?: boolean
  /** Whether a node may hold the lease as soon as it was asked. */
  readonly locks?: boolean
  /** Whether a node may hold the lease again, although it was not asked yet. */
  readonly restores?: boolean
  /** Whether it ends the lease, so that each node that may hold it has to be asked. */
  readonly frees?: boolean
}

export const acquiring: Operation = { letter: 'a', writes: true, locks: true }
export const completing: Operation = { letter: 'c', writes: true }
export const extending: Operation = { letter: 'e', writes: true, restores: true }
export const inspecting: Operation = { letter: 'i' }
export const releasing: Operation = { letter: 'r', frees: true }

/** Another script than that of locks, and its argument. */
export type Request = {
  readonly script: Script
  readonly argument: string
  /** Whether nodes name the holders of all slots, even where they grant one. */
  readonly namesHolders?: boolean
}

/** Whether a node has not answered. */
export const isOpen = ({ answers }: View, { order }: Plan): boolean =>
  order.some((index) => !answers[index])

/** The steps of a vote on a lock that is held. */
export const nextOfVote: NextStep<Vote> = (view, plan, pace, now) => {
  const vote = voteOf(view.answers, plan.quorum)
  if (vote) return vote === 'unknown' ? settleUndecided(vote) : settle(vote)
  return isOpen(view, plan) ? nextTurn(view, plan, pace, now) : settleUndecided('unknown')
}

/** The steps of a release, which reaches all nodes, also after its result is known. */
export const nextOfRelease: NextStep<Vote> = (view, plan, pace, now) => {
  const turn = nextTurn(view, plan, pace, now)
  // The result ends the timer, so it has to wait for the last turn.
  return 'ask' in turn || turn.until < Infinity ? turn : nextOfVote(view, plan, pace, now)
}

/** The steps of an inspection, which waits for all nodes. */
export const nextOfInspection: NextStep<'done'> = (view, plan, pace, now) =>
  isOpen(view, plan) ? nextTurn(view, plan, pace, now) : settleUndecided('done')
