import type { Namespace } from '../protocol/keys.ts'
import type { NodeReport } from './results/node-report.ts'
import type { FinishedRound } from './drive.ts'
import type { CallOutcome } from './outcome.ts'
import type { Answers } from './quorum.ts'
import type { Operation, Rule } from './rule.ts'

export type CallRound = FinishedRound<CallOutcome>

/** The goal of a call: how it asks the nodes, how it reads their answers, and which result it creates on success. */
export type Acquisition<Result> = {
  readonly namespace: Namespace
  /** Maps the keys of the call to the keys to ask for. Default: the same. */
  readonly keysToAsk?: (keys: readonly string[]) => readonly string[]
  readonly rule: Rule<CallOutcome>
  /** How many can acquire it at the same time, if that is not one. */
  readonly slots?: number
  /** Default: an acquire. */
  readonly operation?: Operation
  /** The answers as the caller receives them. */
  readonly reports: (answers: Answers) => NodeReport[]
  readonly resultOf: (round: CallRound) => Result
}
