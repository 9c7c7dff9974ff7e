import type { Client } from '../local/client.ts'
import { holderOf } from '../protocol/reply.ts'
import { type Answers, standingOf } from '../quorum/tally.ts'
import type { NodeReport } from '../reports/node-report.ts'
import type { Attempt } from './attempt.ts'
import type { Probe } from './probe.ts'
import { leadWithin } from './split-vote.ts'

/**
 * Whether a client that got nothing out of a split vote is to look again. A client that gave up a node
 * checks that somebody has taken it since: the leader may have crashed, or not know that it is to lead.
 * A client that had no node need not look, since those who had one do.
 */
export const looksAgain = (answers: Answers): boolean =>
  answers.some((answer) => answer?.status === 'granted')

/**
 * Whether others may have yielded to the client, because it was to lead or had a quorum. It may know that
 * only from answers that came too late.
 */
const mayLead = ({ answers }: Attempt, quorum: number): boolean =>
  /won|lead/.test(standingOf(answers, quorum))

/**
 * Whether the rivals of the last attempt only try, just as this client does. Each attempt has a value of its
 * own, so a rival that was there an attempt before, and may have a quorum, is more likely a holder.
 */
export const hasNewRivals = (
  before: Attempt | undefined,
  { answers }: Attempt,
  quorum: number,
): boolean => {
  const mayHold = (holder: string): boolean =>
    answers.filter((one) => !one || one.error || one.holder === holder).length >= quorum
  const isHolder = ({ holder }: NodeReport): boolean =>
    holder !== undefined &&
    mayHold(holder) &&
    before !== undefined &&
    before.answers.some((earlier) => earlier?.holder === holder)
  return !answers.some((answer) => answer && isHolder(answer))
}

/**
 * The node that a second look asks first: the one that the client gave up, where the refusal of anybody
 * else is enough. Undefined for a look at all nodes.
 */
export const lookProbe = (attempt: Attempt, quorum: number): Probe | undefined => {
  const index = attempt.answers.findIndex((answer) => answer?.status === 'granted')
  if (index < 0 || mayLead(attempt, quorum)) return undefined
  // The release may arrive later than the second look.
  return { index, turn: leadWithin(attempt.took), except: holderOf(attempt.value) }
}

/**
 * Whether the refusal of a second look says nothing: others may have yielded to the attempt before, or
 * may have seen it hold a quorum, or it is that attempt itself that is still seen as the holder.
 */
export const isOwed = (before: Attempt, holder: string, { quorum, cache }: Client): boolean => {
  const { answers } = before
  const isOwn = (answer: NodeReport | undefined): boolean => answer?.status === 'granted'
  const mayHaveHeld = answers.filter(
    (answer, index) => isOwn(answer) || (!answer && !cache.slow[index]),
  )
  return (
    holder === holderOf(before.value) || mayLead(before, quorum) || mayHaveHeld.length >= quorum
  )
}
