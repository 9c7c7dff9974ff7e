import { type Answers, known } from './vote.ts'

/**
 * The fencing token that the answers confirm: a number that a quorum of nodes told as their counter
 * while the lock was ours there. Undefined while no quorum agrees.
 *
 * Why that is enough: two quorums share a node. If two locks confirmed their tokens on it, the key
 * went from one to the other in between, and each time it comes to be held the counter rises. So
 * tokens are unique, and who comes later has the higher one, whatever clocks and messages do.
 * Anything less is not: the highest counter that was seen, or one that was written back without
 * being told again, may be another's as well.
 */
export const agreed = (answers: Answers, quorum: number): number | undefined => {
  const fences = known(answers).flatMap(({ status, fence }) => (status === 'granted' ? fence! : []))
  return fences.find((fence) => fences.filter((other) => other === fence).length >= quorum)
}

// Ms by which a counter may be ahead of the clock: more than any two clocks differ, and so little
// that none that a broken node tells uses up the numbers there are.
const mostAhead = 2 ** 42

/** The highest counter that was told, also by nodes that another holds, for others to reach. */
export const highest = (answers: Answers, wall: number): number => {
  let most = 0
  for (const answer of answers) most = Math.max(most, answer?.fence ?? 0)
  return Math.min(most, wall + mostAhead)
}
