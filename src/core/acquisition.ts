import type { Namespace } from '../protocol/keys.ts'
import type { NodeReport } from './results/node-report.ts'
import type { FinishedRound } from './drive.ts'
import type { CallOutcome } from './outcome.ts'
import type { Answers } from './quorum.ts'
import type { Operation, Rule } from './rule.ts'

export type CallRound = FinishedRound<CallOutcome>

/**
 * Describes one kind of call: what it requests from the nodes, how it reads their answers, and what it returns on
 * success.
 */
export type Acquisition<Result> = {
  readonly namespace: Namespace
  /** Maps the keys of the call to the keys that the nodes receive. Default: no change. */
  readonly keysToAsk?: (keys: readonly string[]) => readonly string[]
  readonly rule: Rule<CallOutcome>
  /** The maximum number of simultaneous holders. Default: one. */
  readonly slots?: number
  /** The operation to run on each node. Default: an acquire. */
  readonly operation?: Operation
  /** Converts the answers to the reports that the caller receives. */
  readonly reports: (answers: Answers) => NodeReport[]
  readonly resultOf: (round: CallRound) => Result
}
