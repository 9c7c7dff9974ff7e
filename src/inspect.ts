import type { NodeReport } from './reports/node-report.ts'
import { startBallot } from './vote/ballot.ts'
import type { Lease } from './vote/lease.ts'
import { nextOfInspection } from './vote/next-step.ts'
import { inspecting } from './vote/operations.ts'
import { answered, freeIn, isOutage, quorumHolder, tallyOf } from './vote/tally.ts'

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
  const { quorum } = lease.subject.client
  const options = { operation: inspecting, next: nextOfInspection }
  const { answers } = await startBallot(lease, options)
  const holder = quorumHolder(answers, quorum)
  const isDown = isOutage(tallyOf(answers), answers, quorum)
  const isLocked = !isDown && holder !== undefined
  return {
    state: isDown ? 'unavailable' : isLocked ? 'locked' : 'free',
    ttl: isLocked ? freeIn(answers, quorum, 1) : 0,
    metadata: holder?.metadata,
    nodes: answered(answers),
  }
}
