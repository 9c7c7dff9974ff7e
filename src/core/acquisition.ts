import type { Namespace } from '../protocol/keys.ts'
import type { NodeReport } from '../reports/node-report.ts'
import type { FinishedRound } from './drive.ts'
import type { CallOutcome } from './outcome.ts'
import type { Rule } from './rules/acquire.ts'
import type { Operation } from './operations.ts'
import type { Answers } from './quorum.ts'

export type CallRound = FinishedRound<CallOutcome>

/** What a call asks the nodes for, how it reads their answers, and what it makes of a win. */
export type Acquisition<Result> = {
  readonly namespace: Namespace
  /** The keys of the lease, by those of the call. Default: the same. */
  readonly keysToAsk?: (keys: readonly string[]) => readonly string[]
  readonly next: Rule<CallOutcome>
  /** How many can win it at the same time, where that is not one. */
  readonly slots?: number
  /** Default: an acquire. */
  readonly operation?: Operation
  /** The answers as the caller receives them. */
  readonly reports: (answers: Answers) => NodeReport[]
  readonly resultOf: (ballot: CallRound) => Result
}
