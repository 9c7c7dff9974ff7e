import type { Answers } from '../quorum/tally.ts'

/**
 * How long one call waits in a split vote for nodes that take longer than a quorum did, in multiples of
 * the time that the quorum took. It grows each time that they were left out: a node that is slow, but
 * well, may have the deciding vote, while a node that hangs must not cost a timeout.
 */
export type Patience = { factor: number }

const growth = 8

/** Notes the end of a round. `asked` are the nodes that it asked; undefined for all. */
export const notePatience = (
  patience: Patience,
  asked: readonly number[] | undefined,
  answers: Answers,
): void => {
  const isLeftOut = (asked ?? [...answers.keys()]).some((index) => !answers[index])
  if (isLeftOut) patience.factor *= growth
}
