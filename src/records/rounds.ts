import type { Lease } from '../quorum/lease.ts'
import { type RoundOptions, startRound } from '../quorum/round.ts'
import { type Answers, noAnswers, readVote } from '../quorum/tally.ts'
import { takeVote } from '../quorum/take-vote.ts'
import { stopwatch } from '../util/clock.ts'
import { minTtl } from '../util/validate.ts'
import { recordText, type StoredRecord } from './metadata.ts'
import { decidedRecord, hasPromised, promisedToken } from './reading.ts'
import { recordCall } from './record-lease.ts'

// One round each over all nodes, or over some of them. None of them rejects.

type Reading = { readonly isFinal: boolean }

const ask = async (
  lease: Lease,
  operation: 'a' | 'c' | 'i',
  options: Omit<RoundOptions<Reading>, 'elapsed' | 'answers'>,
): Promise<Answers> => {
  const { clock, nodes } = lease.client
  const answers = noAnswers(nodes)
  await startRound(lease, operation, {
    skipsSlow: true,
    ...options,
    elapsed: stopwatch(clock),
    answers,
  })
  return answers
}

/** Asks the nodes what they have, until a record is decided or all have answered. It writes nothing. */
export const lookUp = (lease: Lease): Promise<Answers> =>
  ask(lease, 'i', {
    read: (answers) => ({ isFinal: decidedRecord(answers, lease.client.quorum) !== undefined }),
  })

/**
 * Asks the nodes to promise that they accept no token below the one that they return.
 *
 * @param counter - The minimum of that token.
 */
export const prepare = (
  lease: Lease,
  counter: number,
  asked?: readonly number[],
): Promise<Answers> => {
  const { quorum } = lease.client
  const read = (answers: Answers): Reading => {
    const refused = answers.filter((answer) => answer && !hasPromised(answer))
    const isLost = refused.length > answers.length - quorum
    return { isFinal: !asked && (isLost || promisedToken(answers, quorum) !== undefined) }
  }
  return ask(lease, 'a', { read, asked, call: recordCall(lease, 'a', lease.ttl, counter) })
}

/**
 * Writes a record.
 *
 * @param token - Nodes with a higher counter refuse it.
 */
export const complete = async (
  lease: Lease,
  token: number,
  record: StoredRecord,
  { asked, onLate }: Pick<RoundOptions<Reading>, 'asked' | 'onLate'>,
): Promise<Answers> => {
  const ttl = Math.max(minTtl, record.ttl)
  const call = recordCall(lease, 'c', ttl, token, recordText(record))
  const read = (answers: Answers): Reading =>
    asked ? { isFinal: false } : readVote(answers, lease.client.quorum)
  const answers = await ask(lease, 'c', { read, asked, onLate, call, ttl })
  // A node with the record has no claim any more.
  for (const [index, answer] of answers.entries()) {
    if (answer?.status === 'granted') lease.possibleGrants[index] = 0
  }
  return answers
}

/** Releases the claim wherever it may be. */
export const releaseAll = (lease: Lease): void => {
  const elapsed = stopwatch(lease.client.clock)
  void takeVote(lease, 'r', { elapsed })
}

/**
 * Releases the claim where it may be left. A node that has not answered to the record may get it yet,
 * and would refuse it after a release.
 */
export const releaseRest = (lease: Lease, answers: Answers): void => {
  const asked = [...lease.possibleGrants.keys()].filter(
    (index) => lease.possibleGrants[index]! > 0 && answers[index],
  )
  const elapsed = stopwatch(lease.client.clock)
  if (asked.length > 0) void takeVote(lease, 'r', { asked, elapsed })
}
