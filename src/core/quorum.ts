import { foreign } from '../protocol/reply.ts'
import type { NodeReport, NodeStatus } from './results/node-report.ts'
import { endlessRetryAfter, unknownRetryAfter } from './results/results.ts'

import type { HeldOutcome } from './outcome.ts'

export { quorumHolder } from './results/node-report.ts'

/** The answer of a node: its report, and fields for the client only. */
export type Answer = NodeReport & {
  /** The ID of the server that replied. */
  readonly server?: string | undefined
  /** The number of the slot that was granted. */
  readonly slot?: number | undefined
  /** The holder of each slot before the command; null for a free slot. */
  readonly holders?: readonly (string | null)[] | undefined
  /** Whether the call was sent to the node more than once. */
  readonly isRepeated?: boolean | undefined
}

/** By rank of the node; undefined if the node has not answered. */
export type Answers = readonly (Answer | undefined)[]

/** The report of an answer, as callers receive it. */
export const reportOf = (answer: Answer): NodeReport => {
  const { server: _server, isRepeated: _repeated, slot: _slot, holders: _all, ...report } = answer
  if (answer.status !== foreign) return report
  // The owner of the data is unknown, and the data may be a secret.
  return { node: answer.node, status: foreign, ttl: answer.ttl, fence: answer.fence }
}

/** The reports of the nodes that have answered. */
export const answered = (answers: Answers): NodeReport[] =>
  answers.flatMap((answer) => (answer ? reportOf(answer) : []))

/** Reports without the metadata of holders, which for an idempotent request is the answer. */
export const withoutMetadata = (reports: readonly NodeReport[]): NodeReport[] =>
  reports.map(({ metadata: _metadata, ...report }) => report)

const successes: ReadonlySet<unknown> = new Set<NodeStatus>([
  'granted',
  'held',
  'released',
  'accepted',
  'forgotten',
])

/** Whether the node has done or confirmed the requested operation. */
export const agrees = ({ status }: { readonly status?: unknown }): boolean => successes.has(status)

/** Whether a key on the node has another holder, or data that is not a lock. */
export const isTaken = ({ status }: NodeReport): boolean =>
  status === 'locked' || status === foreign

/** Whether the node has a key that never expires. It cannot grant the lock, and names no possible holder. */
export const isEndless = ({ status, ttl }: NodeReport): boolean =>
  status === foreign && ttl === undefined

/** How many nodes granted, rejected, failed, and have not answered. */
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

/** Whether so many nodes have failed that no quorum of them can answer. */
export const isOutage = ({ failed }: Tally, { length }: Answers, quorum: number): boolean =>
  failed > length - quorum

/**
 * The verdict of the nodes on a lock that is held; undefined while further answers can change it.
 *
 * @param spared - How many nodes are not asked because they do not hold the lock.
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
 * Ms until a quorum can be free: the quorum-th smallest of the remaining times that the nodes reported. A node that no
 * other client holds is free now.
 *
 * @param otherwise - The result if too few nodes report a time.
 */
export const freeIn = (
  answers: Answers,
  quorum: number,
  otherwise: number = unknownRetryAfter,
): number => {
  const times = answers.map((answer) => {
    // The node hangs or failed.
    if (!answer) return Infinity
    const isFree = agrees(answer) || answer.status === 'absent'
    return isFree ? 0 : (answer.ttl ?? (answer.error ? Infinity : endlessRetryAfter))
  })
  const time = times.sort((a, b) => a - b)[quorum - 1]!
  return time < Infinity ? Math.max(1, time) : otherwise
}

/**
 * The fencing token that the answers confirm: a number that a quorum of nodes reported as their counter while they held
 * our lock. Undefined while no quorum agrees.
 *
 * Why that is enough: two quorums share a node. If two locks confirmed their tokens on it, the key passed from one lock
 * to the other in between. The counter rises each time the key gets a holder. So tokens are unique, and a later lock
 * has the higher one, regardless of clocks and messages. The highest counter that was seen is not enough: another lock
 * may have the same one. The same is true of a counter that was written back without being reported again.
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

// By how many ms a counter may be ahead of the clock. No two clocks differ by as much. The limit prevents a broken node
// from using up the safe integers.
const maxAhead = 2 ** 42

/** The highest counter that any node reported, including nodes that another client holds. Others should reach it. */
export const highestCounter = (answers: Answers, wall: number): number => {
  let highest = 0
  for (const answer of answers) highest = Math.max(highest, answer?.fence ?? 0)
  return Math.min(highest, wall + maxAhead)
}
