import type { ReadReply } from '../protocol/reply.ts'
import type { NodeReport } from '../reports/node-report.ts'

/** The answer of a node: its report, and the identity of the server that gave it. */
export type Answer = ReadReply & {
  /** Whether the call was sent to the node more than once. */
  readonly isRepeated?: boolean | undefined
}

/** The answers of a round by rank of the node; undefined where a node has not answered. */
export type Answers = (Answer | undefined)[]

/** The answers of a round that has not begun. */
export const noAnswers = (nodes: readonly unknown[]): Answers => nodes.map(() => undefined)

/** The report of an answer, as callers receive it. */
export const reportOf = (answer: Answer): NodeReport => {
  const { server: _server, isRepeated: _isRepeated, ...report } = answer
  return report
}

/** The reports that there are. */
export const answered = (answers: Answers): NodeReport[] =>
  answers.flatMap((answer) => (answer ? reportOf(answer) : []))

/** Reports without what holders say of themselves: for an idempotent request, it is the answer. */
export const withoutMetadata = (reports: readonly NodeReport[]): NodeReport[] =>
  reports.map(({ metadata: _metadata, ...report }) => report)

/** The number of nodes that answered, and did not fail. */
export const responsive = (answers: Answers): number => {
  let count = 0
  for (const answer of answers) if (answer && !answer.error) count++
  return count
}

/** Whether so many nodes have failed that no quorum of them can answer. */
export const isOutage = (answers: Answers, quorum: number): boolean =>
  answers.filter((answer) => answer?.error).length > answers.length - quorum

/** `yes`: a quorum granted; `no`: so many refused that none can; `unknown`: too many nodes failed. */
export type Vote = 'yes' | 'no' | 'unknown'

/** A vote as far as the answers go. It `isFinal` once no further answer can change it. */
export type VoteReading = { readonly vote: Vote; readonly isFinal: boolean }

/** Counts the votes for an operation on a lock that is held. */
export const readVote = (answers: Answers, quorum: number): VoteReading => {
  const spare = answers.length - quorum
  let [yes, no, failed] = [0, 0, 0]
  for (const answer of answers) {
    if (!answer) continue
    if (answer.error) failed++
    else if (answer.status === 'granted') yes++
    else no++
  }
  const vote = yes >= quorum ? 'yes' : no > spare ? 'no' : 'unknown'
  return { vote, isFinal: vote !== 'unknown' || no + failed > spare }
}

/** The meaning of the answers to an acquire for the client that asked. */
export type Standing = 'won' | 'unavailable' | 'locked' | 'lead' | 'yield'

/**
 * Reads the answers to an acquire.
 *
 * - `won`: a quorum granted it;
 * - `unavailable`: with so many nodes failing, nobody could get a quorum;
 * - `locked`: one rival has a quorum;
 * - otherwise the vote is split. The client that holds the node of the lowest rank among those that
 *   answered is to `lead`: it keeps its grants and asks again. Everyone else is to `yield`, that is,
 *   to release at once. So somebody wins without random waits.
 *
 * Ranks only say who yields. They never say who owns the lock: that is the quorum. Two clients that
 * saw different nodes may both believe that they lead, and do no harm.
 */
export const standingOf = (answers: Answers, quorum: number): Standing => {
  let [granted, failed] = [0, 0]
  let lowest: NodeReport | undefined
  for (const answer of answers) {
    if (!answer) continue
    if (answer.error) failed++
    else {
      lowest ??= answer
      if (answer.status === 'granted') granted++
    }
  }
  if (granted >= quorum) return 'won'
  if (failed > answers.length - quorum) return 'unavailable'
  if (quorumHolder(answers, quorum)) return 'locked'
  return lowest?.status === 'granted' ? 'lead' : 'yield'
}

/** A report of the rival that has a quorum, if one has. */
export const quorumHolder = (answers: Answers, quorum: number): NodeReport | undefined =>
  answers.find(
    (one) =>
      one?.holder && answers.filter((other) => other?.holder === one.holder).length >= quorum,
  )

/**
 * Ms until a quorum can come free: the quorum-th smallest of the remaining times that the nodes
 * reported. A node that no rival holds is free now. `otherwise` is the result where too few nodes say.
 */
export const freeIn = (answers: Answers, quorum: number, otherwise: number): number => {
  const times = answers.map((answer) => {
    // The node hangs or has failed; or its key has no expiry, which only somebody else can have set.
    if (!answer) return Infinity
    return /granted|absent/.test(answer.status) ? 0 : (answer.ttl ?? Infinity)
  })
  const time = times.sort((a, b) => a - b)[quorum - 1]!
  return time < Infinity ? Math.max(1, time) : otherwise
}
