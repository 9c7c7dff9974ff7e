import type { NodeReport } from './errors.ts'
import type { Answers } from './round.ts'

/** What a vote without a quorum means for the one who asked. */
export type Standing = 'unavailable' | 'locked' | 'lead' | 'yield'

/**
 * Reads a lost vote. `answers` are in rank order, the same for every client.
 *
 * - `unavailable`: with so many nodes failing nobody could get a quorum;
 * - `locked`: one rival has a quorum;
 * - else the vote is split, and whoever holds the lowest-ranked node that answered is to `lead`
 *   (keep its grants and ask again) and everyone else to `yield` (release at once), so that
 *   somebody wins without waiting at random.
 *
 * Ranks only say who gives way. They never say who owns the lock: that is the quorum, so two
 * clients that both think they lead, having seen different nodes, do no harm.
 */
export const standing = (answers: Answers, quorum: number): Standing => {
  const failed = answers.filter((answer) => answer?.error).length
  if (failed > answers.length - quorum) return 'unavailable'
  if (isTaken(answers, quorum)) return 'locked'
  const first = answers.find((answer) => answer && !answer.error)
  return first?.status === 'granted' ? 'lead' : 'yield'
}

/** Whether one rival was seen to have a quorum. */
export const isTaken = (answers: Answers, quorum: number): boolean =>
  answers.some(
    (one) =>
      one?.holder && answers.filter((other) => other?.holder === one.holder).length >= quorum,
  )

/**
 * Whether a split vote may still turn: a node of a lower rank than all that answered has not done
 * so. If it was granted to us and we yielded, everyone else would yield to us, and nobody win.
 */
export const isOpen = (answers: Answers, quorum: number): boolean =>
  standing(answers, quorum) === 'yield' &&
  answers
    .slice(
      0,
      answers.findIndex((answer) => answer && !answer.error),
    )
    .includes(undefined)

/**
 * Ms until a quorum can come free: the quorum-th smallest of the nodes' remaining times, where a
 * node that holds nobody else is free now. `otherwise` stands in where too few nodes tell.
 */
export const freeIn = (answers: Answers, quorum: number, otherwise: number): number => {
  const waits = answers.map((answer) => {
    const { error, ttl = 0 }: Partial<NodeReport> = answer ?? { ttl: -1 }
    // A key without an expiry (-1) was made by somebody else's hand.
    return error || ttl < 0 ? Infinity : ttl
  })
  const wait = waits.sort((a, b) => a - b)[quorum - 1]!
  return wait < Infinity ? Math.max(1, wait) : otherwise
}
