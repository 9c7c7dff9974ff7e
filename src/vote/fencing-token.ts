import type { Answers } from './tally.ts'

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
