import { isAffordable, type Lease } from '../quorum/lease.ts'
import { takeVote } from '../quorum/take-vote.ts'
import { type Answers, readVote, responsive } from '../quorum/tally.ts'
import { stopwatch } from '../util/clock.ts'

/** The nodes that answered an extension with `absent`, unless the lock is lost, or may be. */
export const freeNodes = (answers: Answers, quorum: number): number[] => {
  if (responsive(answers) < quorum || readVote(answers, quorum).vote === 'no') return []
  return [...answers.keys()].filter((index) => answers[index]?.status === 'absent')
}

/**
 * Acquires a node that has answered an extension with `absent`: a rival had it when the lock was
 * acquired, and has given it up since. Without it, one sick node more could cost the lock its quorum.
 *
 * That is safe while the lock is valid: its quorum keeps everybody else out, as if the request of the
 * acquire had only just arrived. The grant does not count in the extension under way, but in the next.
 *
 * @param left - Ms for which the lock is valid; nothing is sent if there are none.
 * @param known - The highest counter that any node has reported.
 */
export const acquireSpare = (lease: Lease, index: number, left: number, known: number): void => {
  const { clock } = lease.client
  const ttl = Math.ceil(left)
  if (ttl <= 0 || !isAffordable(lease)) return
  // Where the counter of the node has expired, and the node forbids TIME, it starts from this clock.
  const fence = Math.max(known, clock.wall())
  void takeVote(lease, 'a', { asked: [index], elapsed: stopwatch(clock), ttl, fence })
}
