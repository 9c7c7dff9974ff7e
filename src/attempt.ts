import type { AcquireResult } from './calls.ts'
import { type Claim, defer, isAffordable, startValidity, timeoutOf } from './claim.ts'
import { sleep, stopwatch } from './clock.ts'
import { freeIn, standing, type Standing, takenBy } from './contention.ts'
import { checkDistinct } from './distinct.ts'
import { highest } from './fence.ts'
import type { NodeReport } from './errors.ts'
import { hold } from './hold.ts'
import { planLead } from './lead.ts'
import { startRound } from './round.ts'
import { type Answers, known } from './vote.ts'

/** Why an attempt failed. `retryAfter` is in ms. */
export type Refusal = {
  readonly ok: false
  readonly reason: 'locked' | 'unavailable'
  readonly retryAfter: number
  readonly nodes: NodeReport[]
}

/** What came of an attempt, and what was seen of others. */
export type Attempted = {
  readonly result: AcquireResult
  readonly answers: Answers
  /** Who has it; undefined where the vote was split, or nothing is known. */
  readonly holder?: string | undefined
}

// A leader that does not win within these rounds gives way like anyone else: others may see other
// nodes and lead as well, or a rival may have crashed and hold its nodes until they expire.
const leadRounds = 8
// Ms for which a frugal attempt waits for the first node at most, before it asks the others.
const mostHeadStart = 250
// In so many of them it asks no more nodes than it needs.
const thriftyRounds = 2

/**
 * One attempt to make a claim true on a quorum of nodes, by the Redlock algorithm: ask all nodes,
 * count, and check what is left of the ttl. After a failure every node that may hold the claim is
 * released, also one that has not answered yet and one whose grant comes in later.
 *
 * If it `isFrugal`, the first node is asked before the others, and its refusal is enough.
 *
 * @throws the signal's reason; a TypeError if two nodes turn out to be one database.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (
  claim: Claim,
  isFrugal: boolean,
  signal?: AbortSignal,
): Promise<Attempted> => {
  const { nodes, quorum, clock, random, ttl, open } = claim
  let answers: Answers = nodes.map(() => undefined)
  let rounds = 0
  const elapsed = stopwatch(clock)
  const validity = startValidity(claim, ttl)
  let stand = 'yield' as Standing
  let isRefusedFirst = false
  let hasWon = false
  let hasFailed = false

  const release = (asked: number[]): unknown =>
    asked[0] !== undefined && startRound(claim, 'r', { asked })
  const giveBack = async (): Promise<void> => {
    const mayHold = [...nodes.keys()].filter((index) => open[index]! > 0)
    // Where somebody holds it, who has not answered yet is about to refuse, most likely, and needs no
    // release then: it is given as long again.
    const isHeld = stand === 'locked' && !signal?.aborted
    const pending = mayHold.filter((index) => isHeld && !answers[index])
    release(mayHold.filter((index) => !pending.includes(index)))
    if (!pending.length) return
    await sleep(clock, elapsed())
    release(pending.filter((index) => open[index]! > 0))
  }

  try {
    while (rounds++ <= leadRounds) {
      // Those who yield need about as long as this took to find out and to be gone.
      if (rounds > 1) await sleep(clock, elapsed() * (0.4 + random() / 10), signal)
      const wall = clock.wall()
      const isThrifty = rounds > 1 && rounds < 2 + thriftyRounds
      const { asked, fence } = isThrifty
        ? planLead(answers, quorum, wall)
        : { asked: undefined, fence: Math.max(wall + random() * 20, highest(answers) + 1) }
      answers = answers.map((answer, index) =>
        answer?.status === 'granted' && asked?.includes(index) === false ? answer : undefined,
      )
      await startRound({ ...claim, fence }, 'a', {
        answers,
        asked,
        signal,
        headStart: isFrugal && rounds === 1 ? Math.min(timeoutOf(claim) / 2, mostHeadStart) : 0,
        // With every answer it is seen more often who is to lead, or that somebody holds it.
        decide: () => {
          isRefusedFirst = isFrugal && answers[0]?.status === 'locked'
          stand = isRefusedFirst ? 'locked' : standing(answers, quorum)
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
    if (hasFailed) defer(claim, giveBack())
  }
  if (hasWon) return { result: { ok: true, lock: hold(claim, validity, answers) }, answers }
  const isKnown = stand === 'locked' || (validity() > 0 && stand !== 'unavailable')
  const [seen, needed] = isRefusedFirst ? [answers.slice(0, 1), 1] : [answers, quorum]
  const result: Refusal = {
    ok: false,
    reason: isKnown ? 'locked' : 'unavailable',
    retryAfter: freeIn(seen, needed, 1000),
    nodes: known(answers),
  }
  return { result, answers, holder: takenBy(seen, needed)?.holder }
}
