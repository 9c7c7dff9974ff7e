import { checkKeys } from './protocol/keys.ts'
import { clientOf, type Redlock } from './redlock.ts'
import type { NodeReport } from './reports/node-report.ts'
import { startBallot } from './vote/ballot.ts'
import { existingLease } from './vote/lease.ts'
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

/**
 * Asks every node who holds the lock, and for how long. It waits for all nodes, and changes nothing.
 *
 * @param key - A resource, or several as they are locked together.
 * @throws `TypeError` when an argument is wrong; the message names it.
 * @example
 * ```ts
 * const { state, ttl, metadata, nodes } = await inspect(redlock, 'report:7')
 * ```
 */
export const inspect = async (
  redlock: Redlock,
  key: string | readonly string[],
): Promise<Inspection> => {
  const client = clientOf(redlock)
  const { quorum } = client
  const lease = existingLease(client, checkKeys(key), crypto.randomUUID(), client.ttl)
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
