import { type Claim, timeoutOf } from '../quorum/lease.ts'
import { startRound } from '../quorum/round.ts'
import type { Answers } from '../quorum/vote.ts'
import { sleep } from '../util/clock.ts'

/**
 * Releases every node that may hold a claim that has failed. `answers` are those of the last round.
 *
 * @returns what is done when no more is to be sent.
 */
export const giveBack = async (
  claim: Claim,
  answers: Answers,
  isHeld: boolean,
  elapsed: () => number,
): Promise<void> => {
  const mayHold = (index: number): boolean => claim.open[index]! > 0
  const [pending, others]: [number[], number[]] = [[], []]
  // Where somebody holds it, who has not answered yet is about to refuse, most likely, and needs no
  // release then: it is given as long again.
  for (const index of [...claim.open.keys()].filter(mayHold)) {
    ;(isHeld && !answers[index] ? pending : others).push(index)
  }
  const release = (asked: number[]): void => {
    if (asked.length > 0) void startRound(claim, 'r', { asked, elapsed })
  }
  release(others)
  if (pending.length === 0) return
  const { settings, ttl } = claim
  await sleep(settings.clock, Math.min(elapsed(), timeoutOf(settings, ttl)))
  release(pending.filter(mayHold))
}
