import type { Budget } from './process/budget.ts'
import { type Pace, slowAfter } from './process/pace.ts'
import type { AboutKeys, KeyCommand, Terms } from '../protocol/command.ts'
import type { Attempt } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { Answers } from './quorum.ts'

// The types of a round: its plan, its state, and the decisions of its rule. The rules are in rules/.

/** The slot that nodes are asked for, and whether they must not grant another one. */
export type Choice = { readonly slot: number; readonly isOnly: boolean }

/** A command of an attempt, and its consequences for the nodes that are asked. */
export type Operation = {
  readonly make: (about: AboutKeys, terms: Terms, choice: Choice | undefined) => KeyCommand
  /** Chooses the slot to ask these nodes for, if the operation has a choice. */
  readonly choose?: (round: RoundView, ranks: readonly number[]) => Choice
  /** Whether a node that rejects it cannot hold the lock for this attempt. */
  readonly writes?: boolean
  /** Whether a node may hold the lock from the moment it is asked. */
  readonly locks?: boolean
  /** Whether it can restore a key that a node has lost, so that each node must be released later. */
  readonly restores?: boolean
  /** Whether it ends the lock, so that each node that may hold it must be asked. */
  readonly frees?: boolean
}

/** The plan of a round. It does not change. */
export type Plan = {
  readonly operation: Operation
  readonly isAllOrNothing: boolean
  /** The nodes in the order in which they are asked. */
  readonly order: readonly number[]
  readonly quorum: number
  /** How many answers are awaited at the same time. */
  readonly concurrency: number
  /** Whether the first node is asked alone, and its rejection is enough. */
  readonly isProbe: boolean
  /** For how many ms the nodes should hold the lock. */
  readonly ttl: number
  /** When an acquired lock expires. */
  readonly validity: number
  /** After how many ms a node counts as failed, and after how many its request is canceled. */
  readonly timeout: number
  readonly cancelAfter: number
  /** When the round ends, whatever answers it has. */
  readonly deadline: number
  /** By node: how many ms it last took; Infinity if it was slow. */
  readonly roundTrips: readonly (number | undefined)[]
  /** How many ms a quorum took in a recent round. */
  readonly took: number | undefined
  /** When the round began, by the monotonic clock. */
  readonly begunAt: number
  readonly pace: Pace
  readonly budget: Pick<Budget, 'affords'>
}

/** One node's part in a round. All times are in ms since the round began. */
export type NodeProgress = {
  /** How often the node was asked, and the times of the first and the last request. */
  requests: number
  firstAskedAt: number
  askedAt: number
  /** Whether its last request is pending, and whether that request is overdue. */
  isInFlight: boolean
  isOverdue: boolean
  /** The choice in its last request, if the operation has one. */
  choice: Choice | undefined
  /** How many ms its first answer took; Infinity until then. */
  roundTrip: number
}

/** The state of a round, as its rule sees it. */
export type RoundView = {
  readonly attempt: Attempt
  readonly plan: Plan
  readonly nodes: readonly NodeProgress[]
  /** By node; undefined if it has not answered. */
  readonly answers: Answers
}

/**
 * Ask these nodes, or end the round, or wait until that time for the next answer. `isUndecided`: a node that was left
 * alone could still change the outcome.
 */
export type Step<End extends Outcome> =
  | { readonly send: readonly number[] }
  | { readonly done: End; readonly isUndecided?: boolean }
  | { readonly wakeAt: number }

/** Decides what a round does next. It has no state and no effects. */
export type Rule<End extends Outcome> = (round: RoundView, now: number) => Step<End>

// In ms. Clocks and timers round, so a step that is due within this time is due now.
export const minDelay = 0.5

/** The step that ends a round because the nodes have decided. */
export const done = <End extends Outcome>(outcome: End): { readonly done: End } => ({
  done: outcome,
})

/** The step that ends a round although more nodes could change the outcome. */
export const undecided = <End extends Outcome>(
  outcome: End,
): { readonly done: End; readonly isUndecided: true } => ({ done: outcome, isUndecided: true })

/** The nodes whose turn has come, or the time of the next turn: `concurrency` at a time, or one that may be enough. */
export const nextTurn = (
  { answers, nodes, plan }: RoundView,
  now: number,
): { readonly send: readonly number[] } | { readonly wakeAt: number } => {
  const { order, concurrency, isProbe, pace, took } = plan
  const last = order.at(-1)
  if (last === undefined || nodes[last]!.requests) return { wakeAt: Infinity }
  let asked = 0
  let awaited = 0
  let wakeAt = Infinity
  while (nodes[order[asked]!]!.requests) {
    const rank = order[asked++]!
    const passesAt = nodes[rank]!.askedAt + slowAfter(pace, took)
    if (answers[rank] || now >= passesAt) continue
    awaited++
    wakeAt = Math.min(wakeAt, passesAt)
  }
  const isProbing = isProbe && (asked === 0 || (asked === 1 && awaited > 0))
  const free = (isProbing ? 1 : concurrency) - awaited
  return free > 0 ? { send: order.slice(asked, asked + free) } : { wakeAt }
}

/** How many ms a quorum of nodes took to answer; undefined until then. */
export const timeOfQuorum = (
  nodes: readonly NodeProgress[],
  quorum: number,
): number | undefined => {
  // It does without a list and a sort, since every step of a round calls it.
  let time = Infinity
  for (const { roundTrip } of nodes) {
    let within = 0
    if (roundTrip < time) for (const other of nodes) if (other.roundTrip <= roundTrip) within++
    if (within >= quorum) time = roundTrip
  }
  return time < Infinity ? time : undefined
}
