import { type Claim, startValidity } from './claim.ts'
import { sleep, stopwatch } from './clock.ts'
import { freeIn, isOpen, standing } from './contention.ts'
import type { NodeReport } from './errors.ts'
import { type Answers, known, startRound, voteOf } from './round.ts'

/** Why an attempt failed. `retryAfter` is in ms. */
export type Refusal = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

/** How an attempt ended. `validity()` reads how many ms of the lock are left. */
export type Attempt = { readonly ok: true; readonly validity: () => number } | Refusal

// A leader that does not win within these rounds gives way like anyone else: others may see other
// nodes and lead as well, or a rival may have crashed and hold its nodes until they expire.
const leadRounds = 8

/**
 * One attempt to make a claim true on a quorum of nodes, by the Redlock algorithm: ask all nodes,
 * count, and check what is left of the ttl. After a failure every node that may hold the claim is
 * released, also one that has not answered yet and one whose grant comes in later.
 *
 * @throws the signal's reason.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (claim: Claim, signal?: AbortSignal): Promise<Attempt> => {
  signal?.throwIfAborted()
  const { settings, ttl } = claim
  const { nodes, quorum, clock, random } = settings
  const answers: Answers = nodes.map(() => undefined)
  const all = [...nodes.keys()]
  const elapsed = stopwatch(clock)
  const validity = startValidity(settings, ttl)
  let failed = false

  const ask = (asked: number[]): Promise<unknown> => {
    for (const index of asked) answers[index] = undefined
    const { vote, done } = startRound(claim, 'a', {
      answers,
      asked,
      signal,
      isOpen: () => isOpen(answers, quorum),
      onLate: (status, index) => {
        if (failed && status === 'granted') release([index])
      },
    })
    claim.waitUntil(done)
    return vote
  }
  const release = (asked: number[]): void => claim.waitUntil(startRound(claim, 'r', { asked }).done)
  const giveUp = (): void => {
    failed = true
    // A node that has refused holds nothing of ours, unless its request may yet be repeated.
    release(all.filter((index) => answers[index]?.status !== 'locked' || nodes[index]!.resends))
  }
  const won = (): boolean => voteOf(answers, settings) === 'yes' && validity() > 0

  try {
    await ask(all)
    for (let lead = 0; lead < leadRounds; lead++) {
      if (won() || validity() <= 0 || standing(answers, quorum) !== 'lead') break
      // Those who yield need about as long as this took to find out and to be gone.
      await sleep(clock, (elapsed() / 2) * random(), signal)
      await ask(all.filter((index) => !answers[index] || answers[index].status === 'locked'))
    }
  } catch (error) {
    giveUp()
    throw error
  }
  if (won()) return { ok: true, validity }
  giveUp()
  const isKnown = validity() > 0 && standing(answers, quorum) !== 'unavailable'
  return {
    ok: false,
    reason: isKnown ? 'locked' : 'unavailable',
    retryAfter: freeIn(answers, quorum, Math.min(ttl, 1000)),
    nodes: known(answers),
  }
}
