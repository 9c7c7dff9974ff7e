import { createLock } from '../lock/held-lock.ts'
import { enterAnswer } from '../quorum/distinct-servers.ts'
import { isAffordable, type Lease } from '../quorum/lease.ts'
import { startRound } from '../quorum/round.ts'
import {
  type Answer,
  type Answers,
  answered,
  freeIn,
  noAnswers,
  quorumHolder,
  responsive,
  type Standing,
  standingOf,
} from '../quorum/tally.ts'
import { validityOf } from '../quorum/validity.ts'
import { sleep } from '../util/clock.ts'
import { defer } from '../util/defer.ts'
import { isRefusedByProbe, type Probe } from './probe.ts'
import type { AcquireResult } from './results.ts'
import { releaseNodes, rollBack } from './rollback.ts'
import {
  firstRound,
  hasLost,
  leadAfter,
  leadingRound,
  leadWithin,
  maxLeadingRounds,
  type RoundPlan,
} from './split-vote.ts'

export type AttemptOptions = {
  /** A node to ask before the others. */
  readonly probe?: Probe | undefined
  /** Ms that slow nodes get in any case. */
  readonly minWait?: number
  /** Called when an answer comes too late for its round, with the ms since the attempt began. */
  readonly onSlow?: (took: number) => void
  /** Reads the ms after which the attempt ends with the answers that it has. */
  readonly left: () => number
  readonly signal?: AbortSignal | undefined
}

/** The result of an attempt, and what it saw of others. */
export type Attempt = {
  readonly result: AcquireResult
  /** Those of the last round. Answers that arrive later are filled in. */
  readonly answers: Answers
  /** The secret of the attempt. */
  readonly value: string
  /** The ms that a quorum of nodes took to answer. */
  readonly took: number
  /** Whether it led a split vote. */
  readonly hasLed?: boolean
  /** Whether it ended before the nodes had decided. */
  readonly isUndecided?: boolean
  /** The holder of the lock; undefined where the vote was split, or nothing is known. */
  readonly holder?: string | undefined
}

/** The answers to an acquire, as far as they go. */
type AttemptReading = {
  readonly standing: Standing
  readonly isFinal: boolean
}

/** One attempt. `elapsed` is a stopwatch that was started before. */
export type AttemptFunction = (
  lease: Lease,
  elapsed: () => number,
  options: AttemptOptions,
) => Promise<Attempt>

const readerOf =
  ({ client: { quorum }, possibleGrants }: Lease, probe: Probe | undefined) =>
  (answers: Answers): AttemptReading => {
    const isRefused = isRefusedByProbe(probe, answers, possibleGrants)
    const standing = isRefused ? 'locked' : standingOf(answers, quorum)
    // In a split vote each further answer shows better who is to lead, or that a rival has a quorum.
    const isSplit = standing === 'lead' || standing === 'yield'
    return {
      standing,
      isFinal: !isSplit || !answers.includes(undefined) || hasLost(answers, quorum),
    }
  }

/**
 * One attempt to acquire a lease on a quorum of nodes, by the Redlock algorithm: ask all nodes, count
 * the grants, and check what is left of the ttl. In a split vote, a client that leads asks again.
 * After a failure every node that may hold the lease is released, also one that has not answered yet
 * and one whose grant arrives later.
 *
 * @param elapsed - A stopwatch that was started before.
 * @throws the signal's reason.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (
  lease: Lease,
  elapsed: () => number,
  { probe, minWait, onSlow, left, signal }: AttemptOptions,
): Promise<Attempt> => {
  const { client, ttl } = lease
  const validity = validityOf(client, ttl, elapsed)
  const read = readerOf(lease, probe)
  let answers = noAnswers(client.nodes)
  let reading = read(answers)
  /** When the last node was asked, and how long a quorum took to answer. */
  let [askedAt, took] = [0, 0]
  /** How many nodes answered in one round. */
  let heard = 0
  let hasWon = false
  let hasFailed = false
  const onLate = (index: number, answer: Answer): void => {
    // An answer to an earlier round of this attempt is news to the present one.
    if (!answers[index]) enterAnswer(client, lease.keys, answers, index, answer)
    if (!answer.error) onSlow?.(elapsed())
    if (hasFailed && answer.status === 'granted') releaseNodes(lease, [index], elapsed)
  }
  const ask = async (plan: RoundPlan, settleAfter: number): Promise<void> => {
    answers = plan.answers
    const options = {
      ...plan,
      read,
      elapsed,
      signal,
      onLate,
      minWait,
      settleAfter,
      skipsSlow: true,
    }
    const round = await startRound(lease, 'a', options)
    reading = round.reading
    took = round.took
    askedAt = round.askedAt
    heard = Math.max(heard, responsive(answers))
    lease.namespace[2]?.(answers)
  }
  // A lock that is about to expire when it is acquired is of no use, nor are requests at the end of `wait`
  // whose answers come too late.
  const mayGoOn = (): boolean =>
    validity() > leadWithin(took) + took && left() > took && isAffordable(lease)

  try {
    await ask(firstRound(client, probe), left())
    for (
      let rounds = maxLeadingRounds;
      reading.standing === 'lead' && rounds && mayGoOn();
      rounds--
    ) {
      await sleep(
        client.clock,
        Math.min(askedAt + leadAfter(took, client) - elapsed(), left()),
        signal,
      )
      // An answer that arrived meanwhile may have decided the vote.
      reading = read(answers)
      if (reading.standing === 'lead') {
        await ask(leadingRound(client, answers), Math.min(leadWithin(took), left()))
      }
    }
    hasWon = reading.standing === 'won' && validity() > 0
  } finally {
    hasFailed = !hasWon
    if (hasFailed) {
      const isRefused = /locked|yield/.test(reading.standing) && !signal?.aborted
      defer(lease.waitUntil, rollBack(lease, answers, isRefused, elapsed))
    }
  }
  const seenSoFar = { answers, took, value: lease.value }
  if (hasWon)
    return { ...seenSoFar, result: { ok: true, lock: createLock(lease, validity, answers) } }
  // The refusal of a probed node stands for all of them.
  const isAlone = isRefusedByProbe(probe, answers, lease.possibleGrants)
  const [seen, needed] = isAlone ? [[answers[probe!.index]], 1] : [answers, client.quorum]
  const isSplit = heard >= client.quorum || hasLost(answers, client.quorum)
  // Where too few nodes have answered, because there was no time, one that is held is enough.
  const isEarly = elapsed() - askedAt < leadWithin(took)
  const isHeld = isSplit || (isEarly && answers.some((answer) => answer?.holder !== undefined))
  const isLocked =
    reading.standing === 'locked' ||
    (isHeld && validity() > 0 && reading.standing !== 'unavailable')
  return {
    ...seenSoFar,
    result: {
      ok: false,
      reason: isLocked ? 'locked' : 'unavailable',
      retryAfter: freeIn(seen, needed, 1000),
      nodes: answered(answers),
    },
    hasLed: reading.standing === 'lead',
    isUndecided: !isSplit && /lead|yield/.test(reading.standing),
    holder: quorumHolder(seen, needed)?.holder,
  }
}
