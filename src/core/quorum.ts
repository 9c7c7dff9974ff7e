import { foreign } from '../protocol/reply.ts'
import type { NodeReport, NodeStatus } from './results/node-report.ts'
import { endlessRetryAfter, unknownRetryAfter } from './results/results.ts'

import type { HeldOutcome } from './outcome.ts'

export { quorumHolder } from './results/node-report.ts'

/** A node's answer: its report, and fields for internal use. */
export type Answer = NodeReport & {
  /** The ID of the server that replied. */
  readonly server?: string | undefined
  /** The number of the slot that was granted. */
  readonly slot?: number | undefined
  /** The holder of each slot before the command ran; null for a free slot. */
  readonly holders?: readonly (string | null)[] | undefined
  /** Whether the command was sent to the node more than once. */
  readonly isRepeated?: boolean | undefined
}

/** The answers by rank of the node; undefined for a node that has not answered. */
export type Answers = readonly (Answer | undefined)[]

/** The part of an answer that callers receive. */
export const reportOf = (answer: Answer): NodeReport => {
  const { server: _server, isRepeated: _repeated, slot: _slot, holders: _all, ...report } = answer
  if (answer.status !== foreign) return report
  // Another program owns the data, which may be secret.
  return { node: answer.node, status: foreign, ttl: answer.ttl, fence: answer.fence }
}

/** The reports of the nodes that have answered. */
export const answered = (answers: Answers): NodeReport[] =>
  answers.flatMap((answer) => (answer ? reportOf(answer) : []))

/** Removes the holders' metadata, because for an idempotent request it contains the recorded response. */
export const withoutMetadata = (reports: readonly NodeReport[]): NodeReport[] =>
  reports.map(({ metadata: _metadata, ...report }) => report)

const successes: ReadonlySet<unknown> = new Set<NodeStatus>([
  'granted',
  'held',
  'released',
  'accepted',
  'forgotten',
])

/** Whether the node performed or confirmed the operation. */
export const agrees = ({ status }: { readonly status?: unknown }): boolean => successes.has(status)

/** Whether a key on the node has another holder, or contains data that is not a lock. */
export const isTaken = ({ status }: NodeReport): boolean =>
  status === 'locked' || status === foreign

/** Whether the node has a key that never expires. The node cannot grant the lock, and the data belongs to no client. */
export const isEndless = ({ status, ttl }: NodeReport): boolean =>
  status === foreign && ttl === undefined

/** How many nodes granted, rejected, failed, or have not answered. */
export type Tally = { granted: number; rejected: number; failed: number; silent: number }

export const tallyOf = (answers: Answers): Tally => {
  const tally = { granted: 0, rejected: 0, failed: 0, silent: 0 }
  for (const answer of answers) {
    if (!answer) tally.silent++
    else if (answer.error) tally.failed++
    else if (agrees(answer)) tally.granted++
    else tally.rejected++
  }
  return tally
}

/** Whether too many nodes have failed for a quorum to answer. */
export const isOutage = ({ failed }: Tally, { length }: Answers, quorum: number): boolean =>
  failed > length - quorum

/**
 * The outcome of a round for a held lock; undefined while further answers can change it.
 *
 * @param spared - The number of nodes that are not asked because they do not hold the lock.
 */
export const heldOutcomeOf = (
  answers: Answers,
  quorum: number,
  spared: number = 0,
): HeldOutcome | undefined => {
  const { granted, rejected, failed } = tallyOf(answers)
  const spare = answers.length - quorum - spared
  if (granted >= quorum) return 'confirmed'
  if (rejected > spare) return 'lost'
  return rejected + failed > spare ? 'unavailable' : undefined
}

/**
 * Time until a quorum of nodes can be free, in ms: the quorum-th smallest of the TTLs that the nodes reported. A node
 * that no other client holds counts as free now.
 *
 * @param otherwise - The result if too few nodes report a time.
 */
export const freeIn = (
  answers: Answers,
  quorum: number,
  otherwise: number = unknownRetryAfter,
): number => {
  const times = answers.map((answer) => {
    // The node has not answered.
    if (!answer) return Infinity
    const isFree = agrees(answer) || answer.status === 'absent'
    return isFree ? 0 : (answer.ttl ?? (answer.error ? Infinity : endlessRetryAfter))
  })
  const time = times.sort((a, b) => a - b)[quorum - 1]!
  return time < Infinity ? Math.max(1, time) : otherwise
}

/**
 * The fencing token that the answers confirm: the counter that a quorum of nodes reported while they held our lock.
 * Undefined while no quorum agrees on one.
 *
 * Why a quorum is enough: any two quorums share a node. If two locks confirmed their tokens on that node, the key
 * passed from one lock to the other in between. The counter rises whenever a key is granted to a new holder. So tokens
 * are unique, and a later lock has a higher token, regardless of clocks and message delays. The highest counter seen so
 * far would not be enough, because another lock may see the same one. Nor would a counter that was written to a node
 * but not reported back.
 *
 * @see {@link https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html}
 */
export const confirmedToken = (answers: Answers, quorum: number): number | undefined =>
  answers.find(
    (one) =>
      one?.status === 'granted' &&
      answers.filter((other) => other?.status === 'granted' && other.fence === one.fence).length >=
        quorum,
  )?.fence

// How far a counter can be ahead of the clock, in ms. No two clocks differ by this much. The limit prevents a broken
// node from using up the safe integers.
const maxAhead = 2 ** 42

/** The highest counter that any node reported, including nodes that another client holds. */
export const highestCounter = (answers: Answers, wall: number): number => {
  let highest = 0
  for (const answer of answers) highest = Math.max(highest, answer?.fence ?? 0)
  return Math.min(highest, wall + maxAhead)
}
