import { createLock } from '../lock/held-lock.ts'
import { isAffordable, type Lease } from '../quorum/lease.ts'
import { checkDistinct } from '../quorum/node-identity.ts'
import { startRound } from '../quorum/round.ts'
import {
  type Answers,
  answered,
  freeIn,
  noAnswers,
  quorumHolder,
  type Standing,
  standingOf,
} from '../quorum/tally.ts'
import { validityOf } from '../quorum/validity.ts'
import type { NodeReport } from '../reports/node-report.ts'
import { defer } from '../util/defer.ts'
import { isRefusedByProbe, type Probe } from './probe.ts'
import type { AcquireResult } from './results.ts'
import { releaseNodes, rollBack } from './rollback.ts'
import { firstRound, leadingRound, maxRounds, pauseBeforeLeading } from './split-vote.ts'

/** The result of an attempt, and what it saw of others. */
export type Attempt = {
  readonly result: AcquireResult
  readonly answers: Answers
  /** The holder of the lock; undefined where the vote was split, or nothing is known. */
  readonly holder?: string | undefined
}

/** The answers to an acquire, as far as they go. */
type AttemptReading = {
  readonly standing: Standing
  readonly isFinal: boolean
}

const readerOf =
  ({ client, possibleGrants }: Lease, probe: Probe | undefined) =>
  (answers: Answers): AttemptReading => {
    const isRefused = isRefusedByProbe(probe, answers, possibleGrants)
    const standing = isRefused ? 'locked' : standingOf(answers, client.quorum)
    // In a split vote each further answer shows better who is to lead, or that a rival has a quorum.
    const isSplit = standing === 'lead' || standing === 'yield'
    return { standing, isFinal: !isSplit || !answers.includes(undefined) }
  }

/**
 * One attempt to acquire a lease on a quorum of nodes, by the Redlock algorithm: ask all nodes, count
 * the grants, and check what is left of the ttl. In a split vote, a client that leads asks again.
 * After a failure every node that may hold the lease is released, also one that has not answered yet
 * and one whose grant arrives later.
 *
 * @param elapsed - A stopwatch that was started before.
 * @param probe - A node to ask before the others.
 * @throws the signal's reason; a TypeError if two nodes turn out to be one database.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (
  lease: Lease,
  elapsed: () => number,
  probe: Probe | undefined,
  signal?: AbortSignal,
): Promise<Attempt> => {
  const { client, ttl } = lease
  const validity = validityOf(client, ttl, elapsed)
  const read = readerOf(lease, probe)
  let answers = noAnswers(client.nodes)
  let reading = read(answers)
  let hasWon = false
  let hasFailed = false
  const onLate = (index: number, report: NodeReport): void => {
    // An answer to an earlier round of this attempt is news to the present one.
    if (!hasFailed) answers[index] ??= report
    else if (report.status === 'granted') releaseNodes(lease, [index], elapsed)
  }

  try {
    for (let round = 1, begun = 0; round <= maxRounds; round++) {
      if (round > 1) {
        await pauseBeforeLeading(client, elapsed() - begun, signal)
        begun = elapsed()
        // An answer that arrived meanwhile may have decided the vote.
        reading = read(answers)
      }
      if (round === 1 || reading.standing === 'lead') {
        const plan = round > 1 ? leadingRound(client, answers, round) : firstRound(client, probe)
        answers = plan.answers
        const options = { ...plan, read, elapsed, signal, onLate, skipsStragglers: true }
        reading = await startRound(lease, 'a', options)
      }
      checkDistinct(client)
      const isValid = validity() > 0
      hasWon = reading.standing === 'won' && isValid
      if (reading.standing !== 'lead' || !isValid || !isAffordable(lease)) break
    }
  } finally {
    hasFailed = !hasWon
    if (hasFailed) {
      const isHeldByRival = reading.standing === 'locked' && !signal?.aborted
      defer(lease.waitUntil, rollBack(lease, answers, isHeldByRival, elapsed))
    }
  }
  if (hasWon) return { result: { ok: true, lock: createLock(lease, validity, answers) }, answers }
  const { standing } = reading
  const isLocked = standing === 'locked' || (validity() > 0 && standing !== 'unavailable')
  // The refusal of a probed node stands for all of them.
  const isAlone = isRefusedByProbe(probe, answers, lease.possibleGrants)
  const [seen, needed] = isAlone ? [[answers[probe!.index]], 1] : [answers, client.quorum]
  return {
    result: {
      ok: false,
      reason: isLocked ? 'locked' : 'unavailable',
      retryAfter: freeIn(seen, needed, 1000),
      nodes: answered(answers),
    },
    // A copy, which answers that arrive later do not fill in.
    answers: [...answers],
    holder: quorumHolder(seen, needed)?.holder,
  }
}
