import type { Lease } from './quorum/lease.ts'
import { startRound } from './quorum/round.ts'
import { answered, freeIn, noAnswers, quorumHolder, standingOf } from './quorum/tally.ts'
import type { NodeReport } from './reports/node-report.ts'
import { stopwatch } from './util/clock.ts'

/** The state of a lock, as the nodes report it. */
export type Inspection = {
  /**
   * `locked`: one holder has a majority; `free`: no holder was seen on a majority, although nodes that
   * failed may hide one; `unavailable`: too few nodes answered to know.
   */
  readonly state: 'locked' | 'free' | 'unavailable'
  /** Ms until a quorum can come free, unless the holder extends the lock; 0 where nobody holds it. */
  readonly ttl: number
  /** The holder's description of itself. */
  readonly metadata?: string | undefined
  /** Node by node: whether it is `locked`, for how long and by whom; `absent`; or how it failed. */
  readonly nodes: readonly NodeReport[]
}

/** Asks every node what it holds, waits for all of them, and changes nothing. */
export const inspect = async (lease: Lease): Promise<Inspection> => {
  const { nodes, quorum, clock } = lease.client
  const answers = noAnswers(nodes)
  const elapsed = stopwatch(clock)
  await startRound(lease, 'i', { answers, read: () => ({ isFinal: false }), elapsed })
  const standing = standingOf(answers, quorum)
  const state = standing === 'locked' || standing === 'unavailable' ? standing : 'free'
  return {
    state,
    ttl: state === 'locked' ? freeIn(answers, quorum, 1) : 0,
    metadata: quorumHolder(answers, quorum)?.metadata,
    nodes: answered(answers),
  }
}
