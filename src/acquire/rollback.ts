import type { Lease } from '../quorum/lease.ts'
import { takeVote } from '../quorum/take-vote.ts'
import type { Answers } from '../quorum/tally.ts'
import { answerTimeoutOf } from '../quorum/validity.ts'
import { sleep } from '../util/clock.ts'

/** Releases these nodes, and waits for nothing. */
export const releaseNodes = (
  lease: Lease,
  asked: readonly number[],
  elapsed: () => number,
): void => {
  if (asked.length > 0) void takeVote(lease, 'r', { asked, elapsed })
}

/**
 * Releases every node that may hold the lease of an attempt that has failed.
 *
 * @param answers - Those of the last round.
 * @param isRefused - Whether rivals have other nodes. A node that has not answered yet is then most likely
 * about to refuse, and needs no release: it gets as long again.
 * @returns a promise that resolves when no more is to be sent.
 */
export const rollBack = async (
  lease: Lease,
  answers: Answers,
  isRefused: boolean,
  elapsed: () => number,
): Promise<void> => {
  const { client, possibleGrants, requests, ttl } = lease
  const mayHold = (index: number): boolean => possibleGrants[index]! > 0
  const isPending = (index: number): boolean => isRefused && !answers[index]
  const possible = [...possibleGrants.keys()].filter(mayHold)
  const pending = possible.filter(isPending)
  const others = possible.filter((index) => !isPending(index))
  // A node that has granted is in the way of others, so it is released first.
  const isGrant = (index: number): boolean => answers[index]?.status === 'granted'
  others.sort((a, b) => Number(isGrant(b)) - Number(isGrant(a)))
  releaseNodes(lease, others, elapsed)
  if (pending.length === 0) return
  // A grant that arrives meanwhile is released at once.
  const unreleased = (): number[] => pending.filter((index) => mayHold(index) && !isGrant(index))
  // No other try may take their requests meanwhile.
  const kept = (requests.kept ??= new Set())
  kept.add(unreleased)
  await sleep(client.clock, Math.min(elapsed(), answerTimeoutOf(client, ttl)))
  kept.delete(unreleased)
  releaseNodes(lease, unreleased(), elapsed)
}
