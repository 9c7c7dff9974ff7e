import type { Namespace } from '../protocol/keys.ts'
import type { NodeReport } from './results/node-report.ts'
import type { FinishedRound } from './drive.ts'
import type { CallOutcome } from './outcome.ts'
import type { Answers } from './quorum.ts'
import type { Operation, Rule } from './rule.ts'

export type CallRound = FinishedRound<CallOutcome>

/** What a call wants to acquire: how it asks for that, how it reads the answers, and what it makes of a success. */
export type Acquisition<Result> = {
  readonly namespace: Namespace
  /** The keys to ask for, by those of the call. Default: the same. */
  readonly keysToAsk?: (keys: readonly string[]) => readonly string[]
  readonly rule: Rule<CallOutcome>
  /** How many can acquire it at the same time, where that is not one. */
  readonly slots?: number
  /** Default: an acquire. */
  readonly operation?: Operation
  /** The answers as the caller receives them. */
  readonly reports: (answers: Answers) => NodeReport[]
  readonly resultOf: (round: CallRound) => Result
}
