import { foreign } from '../protocol/reply.ts'
import type { NodeReport, NodeStatus } from './results/node-report.ts'
import { endlessRetryAfter, unknownRetryAfter } from './results/results.ts'

import type { HeldOutcome } from './outcome.ts'

export { quorumHolder } from './results/node-report.ts'

/** The answer of a node: its report, and what only the client needs. */
export type Answer = NodeReport & {
  /** The id of the server that gave it. */
  readonly server?: string | undefined
  /** The number of the slot that was granted. */
  readonly slot?: number | undefined
  /** The holder of each slot as it was before; null for a free one. */
  readonly holders?: readonly (string | null)[] | undefined
  /** Whether the call was sent to the node more than once. */
  readonly isRepeated?: boolean | undefined
}

/** By rank of the node; undefined where a node has not answered. */
export type Answers = readonly (Answer | undefined)[]

/** The report of an answer, as callers receive it. */
export const reportOf = (answer: Answer): NodeReport => {
  const { server: _server, isRepeated: _repeated, slot: _slot, holders: _all, ...report } = answer
  if (answer.status !== foreign) return report
  // Whose data it is, nobody knows, and it may be a secret.
  return { node: answer.node, status: foreign, ttl: answer.ttl, fence: answer.fence }
}

/** The reports that there are. */
export const answered = (answers: Answers): NodeReport[] =>
  answers.flatMap((answer) => (answer ? reportOf(answer) : []))

/** Reports without what holders say of themselves: for an idempotent request, it is the answer. */
export const withoutMetadata = (reports: readonly NodeReport[]): NodeReport[] =>
  reports.map(({ metadata: _metadata, ...report }) => report)

const done: ReadonlySet<unknown> = new Set<NodeStatus>([
  'granted',
  'held',
  'released',
  'accepted',
  'forgotten',
])

/** Whether the node has done, or confirms, what it was asked for. */
export const agrees = ({ status }: { readonly status?: unknown }): boolean => done.has(status)

/** Whether another, or data that is no lock, has a key on the node. */
export const isTaken = ({ status }: NodeReport): boolean =>
  status === 'locked' || status === foreign

/** Whether the node has a key that never expires: it cannot grant the lock, and names nobody who could have it. */
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
 * What the nodes say about a lock that is held; undefined while further answers can change it.
 *
 * @param spared - How many nodes are not asked, since they do not hold it.
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
 * Ms until a quorum can come free: the quorum-th smallest of the remaining times that the nodes
 * reported. A node that no rival holds is free now. `otherwise` is the result if too few nodes say.
 */
export const freeIn = (
  answers: Answers,
  quorum: number,
  otherwise: number = unknownRetryAfter,
): number => {
  const times = answers.map((answer) => {
    // The node hangs or has failed.
    if (!answer) return Infinity
    const isFree = agrees(answer) || answer.status === 'absent'
    return isFree ? 0 : (answer.ttl ?? (answer.error ? Infinity : endlessRetryAfter))
  })
  const time = times.sort((a, b) => a - b)[quorum - 1]!
  return time < Infinity ? Math.max(1, time) : otherwise
}

/**
 * The fencing token that the answers confirm: a number that a quorum of nodes reported as their
 * counter while the lock was ours there. Undefined while no quorum agrees.
 *
 * Why that is enough: two quorums share a node. If two locks confirmed their tokens on it, the key
 * went from one to the other in between, and the counter rises each time the key comes to be held. So
 * tokens are unique, and a later lock has the higher one, whatever clocks and messages do. The highest
 * counter that was seen is not enough, nor is one that was written back without being reported again:
 * either may be another's as well.
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

// Ms by which a counter may be ahead of the clock: more than any two clocks differ, and so little that
// a broken node cannot use up the safe integers.
const maxAhead = 2 ** 42

/** The highest counter that any node reported, also those that another holds, for others to reach. */
export const highestCounter = (answers: Answers, wall: number): number => {
  let highest = 0
  for (const answer of answers) highest = Math.max(highest, answer?.fence ?? 0)
  return Math.min(highest, wall + maxAhead)
}
