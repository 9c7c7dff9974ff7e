import type { Namespace } from '../protocol/keys.ts'
import type { NodeReport } from '../reports/node-report.ts'
import type { Ballot } from '../vote/ballot.ts'
import type { NextStep, Standing } from '../vote/next-step.ts'
import type { Operation } from '../vote/operations.ts'
import type { Answers } from '../vote/tally.ts'

/** How a contest may end: as an acquire, or because of what the nodes have in place of a lock. */
export type Outcome = Standing | 'seen'

export type ContestBallot = Ballot<Outcome>

/** What a call asks the nodes for, how it reads their answers, and what it makes of a win. */
export type Contest<Result> = {
  readonly namespace: Namespace
  /** The keys of the lease, by those of the call. Default: the same. */
  readonly leaseKeys?: (keys: readonly string[]) => readonly string[]
  readonly next: NextStep<Outcome>
  /** How many can win it at the same time, where that is not one. */
  readonly slots?: number
  /** Default: an acquire. */
  readonly operation?: Operation
  /** The answers as the caller receives them. */
  readonly reports: (answers: Answers) => NodeReport[]
  readonly resultOf: (ballot: ContestBallot) => Result
}
