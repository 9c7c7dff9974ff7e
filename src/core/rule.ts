import type { Budget } from './process/budget.ts'
import { type Pace, slowAfter } from './process/pace.ts'
import type { AboutKeys, KeyCommand, Terms } from '../protocol/command.ts'
import type { Attempt } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { Answers } from './quorum.ts'

// The types of a round: its plan, its state, and the decisions of its rule. The rules are in rules/.

/** The slot to request, and whether a node must not grant a different one. */
export type Choice = { readonly slot: number; readonly isOnly: boolean }

/** A command of an attempt, and its effects on the nodes that receive it. */
export type Operation = {
  readonly make: (about: AboutKeys, terms: Terms, choice: Choice | undefined) => KeyCommand
  /** Chooses the slot to request from these nodes, if the operation acquires slots. */
  readonly choose?: (round: RoundView, ranks: readonly number[]) => Choice
  /** Whether a node that rejects the command cannot hold the lock because of it. */
  readonly writes?: boolean
  /** Whether a node may hold the lock as soon as the command is sent. */
  readonly locks?: boolean
  /** Whether the command can restore a key that a node has lost, so that every node must be released later. */
  readonly restores?: boolean
  /** Whether the command ends the lock, so that it must be sent to every node that may hold the lock. */
  readonly frees?: boolean
}

/** The plan of a round, which never changes. */
export type Plan = {
  readonly operation: Operation
  readonly isAllOrNothing: boolean
  /** The nodes in the order in which they are asked. */
  readonly order: readonly number[]
  readonly quorum: number
  /** The maximum number of nodes that are awaited at the same time. */
  readonly concurrency: number
  /** Whether the first node is asked alone, so that its rejection ends the round. */
  readonly isProbe: boolean
  /** How long the nodes should hold the lock, in ms. */
  readonly ttl: number
  /** When an acquired lock ceases to be valid. */
  readonly validity: number
  /** The times after which a node counts as failed, and after which its request is canceled, in ms. */
  readonly timeout: number
  readonly cancelAfter: number
  /** When the round ends, even without enough answers. */
  readonly deadline: number
  /** By node: the time its last answer took, in ms; Infinity if the node was slow. */
  readonly roundTrips: readonly (number | undefined)[]
  /** The time that a quorum took in a recent round, in ms. */
  readonly took: number | undefined
  /** When the round began, by the monotonic clock. */
  readonly begunAt: number
  readonly pace: Pace
  readonly budget: Pick<Budget, 'affords'>
}

/** One node's part in a round. All times are in ms since the round began. */
export type NodeProgress = {
  /** The number of requests to the node, and the times of the first and the last one. */
  requests: number
  firstAskedAt: number
  askedAt: number
  /** Whether its last request is pending, and whether that request is overdue. */
  isInFlight: boolean
  isOverdue: boolean
  /** The choice in its last request, if the operation has one. */
  choice: Choice | undefined
  /** The time that the node's first answer took, in ms; Infinity until it arrives. */
  roundTrip: number
}

/** The state of a round, as its rule reads it. */
export type RoundView = {
  readonly attempt: Attempt
  readonly plan: Plan
  readonly nodes: readonly NodeProgress[]
  /** By node; undefined for a node that has not answered. */
  readonly answers: Answers
}

/**
 * The next step: ask these nodes, end the round, or wait for an answer until `wakeAt`. `isUndecided`: a node that was
 * left alone could still change the outcome.
 */
export type Step<End extends Outcome> =
  | { readonly send: readonly number[] }
  | { readonly done: End; readonly isUndecided?: boolean }
  | { readonly wakeAt: number }

/** Decides what a round does next. A rule is a pure function. */
export type Rule<End extends Outcome> = (round: RoundView, now: number) => Step<End>

// In ms. Clocks and timers round their values, so a step that is due within this time is due now.
export const minDelay = 0.5

/** The step that ends a round because the nodes have decided. */
export const done = <End extends Outcome>(outcome: End): { readonly done: End } => ({
  done: outcome,
})

/** The step that ends a round although more nodes could change the outcome. */
export const undecided = <End extends Outcome>(
  outcome: End,
): { readonly done: End; readonly isUndecided: true } => ({ done: outcome, isUndecided: true })

/**
 * The nodes whose turn has come, or the time of the next turn. Up to `concurrency` nodes are asked at a time, or a
 * single node while the round is a probe.
 */
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

/** The time that a quorum of nodes took to answer, in ms; undefined until a quorum has answered. */
export const timeOfQuorum = (
  nodes: readonly NodeProgress[],
  quorum: number,
): number | undefined => {
  // Avoids a list and a sort, because every step of a round calls this function.
  let time = Infinity
  for (const { roundTrip } of nodes) {
    let within = 0
    if (roundTrip < time) for (const other of nodes) if (other.roundTrip <= roundTrip) within++
    if (within >= quorum) time = roundTrip
  }
  return time < Infinity ? time : undefined
}
