import type { Claim } from './quorum/lease.ts'
import { startRound } from './quorum/round.ts'
import { freeIn, standing, takenBy } from './quorum/tally.ts'
import { type Answers, known } from './quorum/vote.ts'
import type { NodeReport } from './reports/errors.ts'
import { stopwatch } from './util/clock.ts'

/** What the nodes say of a lock. */
export type Inspection = {
  /**
   * `locked`: a majority has one holder; `free`: no holder was seen on a majority, of which `nodes`
   * that failed may hide one; `unavailable`: too few nodes answered to know.
   */
  readonly state: 'locked' | 'free' | 'unavailable'
  /** Ms until a quorum can come free, unless the holder extends it; 0 where nobody holds it. */
  readonly ttl: number
  /** What the holder says of itself. */
  readonly metadata?: string | undefined
  /** Node by node: whether it is `locked` and for how long and by whom, `absent`, or failed. */
  readonly nodes: readonly NodeReport[]
}

/** Asks every node what it holds, and changes nothing. It waits for all of them. */
export const inspect = async (claim: Claim): Promise<Inspection> => {
  const { quorum, clock } = claim.settings
  const answers: Answers = []
  const elapsed = stopwatch(clock)
  await startRound(claim, 'i', { answers, decide: () => undefined, elapsed })
  const stand = standing(answers, quorum)
  const state = stand === 'locked' || stand === 'unavailable' ? stand : 'free'
  return {
    state,
    ttl: state === 'locked' ? freeIn(answers, quorum, 1) : 0,
    metadata: takenBy(answers, quorum)?.metadata,
    nodes: known(answers),
  }
}
