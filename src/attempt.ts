import type { AcquireResult } from './calls.ts'
import { type Claim, isAffordable, startValidity } from './claim.ts'
import { sleep, stopwatch } from './clock.ts'
import { freeIn, standing, type Standing } from './contention.ts'
import { checkDistinct } from './distinct.ts'
import { highest } from './fence.ts'
import type { NodeReport } from './errors.ts'
import { hold } from './hold.ts'
import { type Answers, known, startRound } from './round.ts'

/** Why an attempt failed. `retryAfter` is in ms. */
export type Refusal = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

// A leader that does not win within these rounds gives way like anyone else: others may see other
// nodes and lead as well, or a rival may have crashed and hold its nodes until they expire.
const leadRounds = 8

/**
 * One attempt to make a claim true on a quorum of nodes, by the Redlock algorithm: ask all nodes,
 * count, and check what is left of the ttl. After a failure every node that may hold the claim is
 * released, also one that has not answered yet and one whose grant comes in later.
 *
 * @throws the signal's reason; a TypeError if two nodes turn out to be one database.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (claim: Claim, signal?: AbortSignal): Promise<AcquireResult> => {
  const { nodes, quorum, clock, random, ttl } = claim
  let answers: Answers = []
  let rounds = 0
  const elapsed = stopwatch(clock)
  const validity = startValidity(claim, ttl)
  let stand = 'yield' as Standing
  let hasWon = false
  let hasFailed = false

  const release = (asked: number[]): unknown => startRound(claim, 'r', { asked })

  try {
    while (rounds++ <= leadRounds) {
      // Those who yield need about as long as this took to find out and to be gone.
      if (rounds > 1) await sleep(clock, (elapsed() / 2) * random(), signal)
      // Each round asks all nodes, also those that have granted it: so their counters keep up.
      const fence = Math.max(clock.wall(), highest(answers) + 1)
      answers = nodes.map(() => undefined)
      await startRound({ ...claim, fence }, 'a', {
        answers,
        signal,
        // With every answer it is seen more often who is to lead, or that somebody holds it.
        decide: () => {
          stand = standing(answers, quorum)
          const isOpen = /lead|yield/.test(stand) && answers.includes(undefined)
          return isOpen ? undefined : 'yes'
        },
        onLate: (status, index) => {
          if (hasFailed && status === 'granted') release([index])
        },
      })
      checkDistinct(claim)
      const isValid = validity() > 0
      hasWon = stand === 'won' && isValid
      if (stand !== 'lead' || !isValid || !isAffordable(claim)) break
    }
  } finally {
    hasFailed = !hasWon
    // A node that has refused the only request it got holds nothing of ours.
    if (hasFailed) {
      release(
        [...nodes.keys()].filter(
          (index) => answers[index]?.status !== 'locked' || rounds > 1 || nodes[index]!.resends,
        ),
      )
    }
  }
  if (hasWon) return { ok: true, lock: hold(claim, validity, answers) }
  const isKnown = stand === 'locked' || (validity() > 0 && stand !== 'unavailable')
  return {
    ok: false,
    reason: isKnown ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, quorum, 1000),
    nodes: known(answers),
  }
}
