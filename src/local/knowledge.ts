import type { Refusal } from '../reports/results.ts'
import { type Clock, stopwatch } from '../util/clock.ts'
import type { Pace } from './pace.ts'

/** What a call, or the calls of a queue, know about a lock. */
export type Knowledge = {
  readonly refusal: Refusal
  /** Ms that a quorum of nodes took to answer, if one has. */
  readonly took: number | undefined
  /** The call that was told. */
  readonly by: object
  /** Reads how many ms ago. */
  readonly age: () => number
  /** Reads how many ms ago a quorum of nodes said so. */
  readonly proven: () => number
}

/** Before any quorum has said anything. */
export const never = (): number => Infinity

/** What a call has just been told. `proven`: when a quorum last said so; undefined if it did right now. */
export const newKnowledge = (
  refusal: Refusal,
  took: number | undefined,
  by: object,
  clock: Clock,
  proven?: () => number,
): Knowledge => {
  const age = stopwatch(clock)
  return { refusal, took, by, age, proven: proven ?? age }
}

/** The refusal as it is now: its time to retry counts down. */
export const currently = ({ refusal, age }: Knowledge): Refusal => ({
  ...refusal,
  retryAfter: Math.max(1, refusal.retryAfter - age()),
})

/** Whether the word of one node is enough, since a quorum has lately refused. */
export const isProven = ({ proof }: Pace, known: Knowledge | undefined): known is Knowledge =>
  known?.refusal.reason === 'locked' && known.proven() < proof

/** Whether a call need not ask the nodes, because another one has just been told. */
export const isFresh = (
  { fresh }: Pace,
  known: Knowledge | undefined,
  by: object,
): known is Knowledge =>
  known !== undefined && known.by !== by && known.age() <= Math.max(fresh, known.took ?? 0)
