import type { NodeReport } from '../reports/errors.ts'
import type { Answers } from './vote.ts'

/** What a vote means for the one who asked. */
export type Standing = 'won' | 'unavailable' | 'locked' | 'lead' | 'yield'

/**
 * Reads a vote. `answers` are in rank order, the same for every client.
 *
 * - `won`: a quorum has granted it;
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
  let [granted, failed] = [0, 0]
  let first: NodeReport | undefined
  for (const answer of answers) {
    if (!answer) continue
    if (answer.error) failed++
    else {
      first ??= answer
      if (answer.status === 'granted') granted++
    }
  }
  if (granted >= quorum) return 'won'
  if (failed > answers.length - quorum) return 'unavailable'
  if (takenBy(answers, quorum)) return 'locked'
  return first?.status === 'granted' ? 'lead' : 'yield'
}

/** What a node says of the rival that was seen to have a quorum, if one was. */
export const takenBy = (answers: Answers, quorum: number): NodeReport | undefined =>
  answers.find(
    (one) =>
      one?.holder && answers.filter((other) => other?.holder === one.holder).length >= quorum,
  )

/**
 * Ms until a quorum can come free: the quorum-th smallest of the nodes' remaining times, where a
 * node that holds nobody else is free now. `otherwise` stands in where too few nodes tell.
 */
export const freeIn = (answers: Answers, quorum: number, otherwise: number): number => {
  const waits = answers.map((answer) => {
    // It hangs, or has failed; or the key has no expiry, made by somebody else's hand.
    if (!answer) return Infinity
    return /granted|absent/.test(answer.status) ? 0 : (answer.ttl ?? Infinity)
  })
  const wait = waits.sort((a, b) => a - b)[quorum - 1]!
  return wait < Infinity ? Math.max(1, wait) : otherwise
}
