import type { Budget } from './process/budget.ts'
import { type Pace, slowAfter } from './process/pace.ts'
import type { AboutKeys, KeyCommand, Terms } from '../protocol/command.ts'
import type { Attempt } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { Answers } from './quorum.ts'

// What a round intends, what it knows, and what its rule may say. The rules are in rules/.

/** Which slot nodes are asked for, and whether they are to grant no other one. */
export type Choice = { readonly slot: number; readonly isOnly: boolean }

/** A command about an attempt, and what it means for the nodes that are asked. */
export type Operation = {
  readonly make: (about: AboutKeys, terms: Terms, choice: Choice | undefined) => KeyCommand
  /** What to ask these nodes for, where the operation has a choice. */
  readonly choose?: (round: RoundView, ranks: readonly number[]) => Choice
  /** Whether a node that rejects it cannot hold the lock for this attempt. */
  readonly writes?: boolean
  /** Whether a node may hold the lock as soon as it was asked. */
  readonly locks?: boolean
  /** Whether it can restore a key that a node has lost, so that each node is to be released later. */
  readonly restores?: boolean
  /** Whether it ends the lock, so that each node that may hold it has to be asked. */
  readonly frees?: boolean
}

/** The intentions of a round. They do not change. */
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
  /** Ms for which the nodes are to hold the lock. */
  readonly ttl: number
  /** When a lock that was acquired has expired. */
  readonly validity: number
  /** Ms after which a node counts as failed, and those after which its request is cancelled. */
  readonly timeout: number
  readonly cancelAfter: number
  /** When the round ends, whatever it knows. */
  readonly deadline: number
  /** By node: the ms that it last took; Infinity if it was slow. */
  readonly roundTrips: readonly (number | undefined)[]
  /** The ms that a quorum took lately. */
  readonly took: number | undefined
  /** When the round began, by the monotonic clock. */
  readonly begunAt: number
  readonly pace: Pace
  readonly budget: Pick<Budget, 'affords'>
}

/** One node's part in a round. All times are in ms since the round began. */
export type NodeProgress = {
  /** How often the node was asked, when first, and when last. */
  requests: number
  firstAskedAt: number
  askedAt: number
  /** Whether its last request is under way, and whether that is overdue. */
  isInFlight: boolean
  isOverdue: boolean
  /** The last command that it was asked to run, if the operation has a choice. */
  choice: Choice | undefined
  /** The ms that its first answer took; Infinity before. */
  roundTrip: number
}

/** What a round knows. */
export type RoundView = {
  readonly attempt: Attempt
  readonly plan: Plan
  readonly nodes: readonly NodeProgress[]
  /** By node; undefined where it has not answered. */
  readonly answers: Answers
}

/**
 * Ask these nodes, or end the round, or wait for the next answer, until that time. `isUndecided`: a node that was left
 * alone could still change the outcome.
 */
export type Step<End extends Outcome> =
  | { readonly send: readonly number[] }
  | { readonly done: End; readonly isUndecided?: boolean }
  | { readonly wakeAt: number }

/** Decides what a round does next. It has no state and no effects. */
export type Rule<End extends Outcome> = (round: RoundView, now: number) => Step<End>

// Ms. Clocks and timers round: a step that is due by then is due now.
export const minDelay = 0.5

/** The step that ends a round as the nodes have decided. */
export const done = <End extends Outcome>(outcome: End): { readonly done: End } => ({
  done: outcome,
})

/** The step that ends a round although more nodes could change the outcome. */
export const undecided = <End extends Outcome>(
  outcome: End,
): { readonly done: End; readonly isUndecided: true } => ({ done: outcome, isUndecided: true })

/** The nodes whose turn has come, or when it comes: `concurrency` at a time, or one that may be enough. */
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

/** The ms that so many nodes took to answer; undefined before. */
export const timeOfQuorum = (
  nodes: readonly NodeProgress[],
  quorum: number,
): number | undefined => {
  // Without a list and a sort: every step of a round asks for it.
  let time = Infinity
  for (const { roundTrip } of nodes) {
    let within = 0
    if (roundTrip < time) for (const other of nodes) if (other.roundTrip <= roundTrip) within++
    if (within >= quorum) time = roundTrip
  }
  return time < Infinity ? time : undefined
}
