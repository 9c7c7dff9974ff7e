import { hold } from '../lock/held-lock.ts'
import type { AcquireResult } from '../options/call-options.ts'
import { highest } from '../quorum/fencing-token.ts'
import { type Claim, defer, isAffordable, timeoutOf, validityOf } from '../quorum/lease.ts'
import { checkDistinct } from '../quorum/node-identity.ts'
import { startRound } from '../quorum/round.ts'
import { freeIn, standing, type Standing, takenBy } from '../quorum/tally.ts'
import { type Answers, known, type Vote } from '../quorum/vote.ts'
import type { NodeReport, NodeStatus } from '../reports/errors.ts'
import { sleep } from '../util/clock.ts'
import { giveBack } from './rollback.ts'
import { type Lookout, planLead } from './split-vote.ts'

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
// Ms by which an attempt's fence may be ahead of its clock, at random: so the counters of those who
// come together differ, and that of the leader is often the highest, so that the nodes it has need
// not be asked again.
const fenceSpread = 20
// Ms for which the node ahead is waited for at most, before the others are asked.
const mostHeadStart = 250
// In so many of them it asks no more nodes than it needs.
const thriftyRounds = 2

/**
 * One attempt to make a claim true on a quorum of nodes, by the Redlock algorithm: ask all nodes,
 * count, and check what is left of the ttl. After a failure every node that may hold the claim is
 * released, also one that has not answered yet and one whose grant comes in later.
 *
 * Where there is a lookout, that node is asked before the others, and its refusal is enough.
 * `elapsed` has been started before.
 *
 * @throws the signal's reason; a TypeError if two nodes turn out to be one database.
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const attempt = async (
  claim: Claim,
  elapsed: () => number,
  ahead: Lookout | undefined,
  signal?: AbortSignal,
): Promise<Attempted> => {
  const { settings, ttl, open } = claim
  const { quorum, clock, random } = settings
  const validity = validityOf(settings, ttl, elapsed)
  let answers: Answers = open.map(() => undefined)
  let rounds = 0
  let begun = 0
  let stand = 'yield' as Standing
  let isRefusedFirst = false
  let hasWon = false
  let hasFailed = false

  // With every answer it is seen more often who is to lead, or that somebody holds it.
  const decide = (): Vote | undefined => {
    const first = ahead && answers[ahead.index]
    const isLeader = first && [undefined, first.holder].includes(ahead.holder)
    // Once others have been asked, a quorum of them may grant it: the holder of the first may have seen
    // that and given way.
    const isOnly = open.every(
      (count, index) => index === ahead?.index || !(count || answers[index]),
    )
    isRefusedFirst = Boolean(isLeader && isOnly && first.status === 'locked')
    stand = isRefusedFirst ? 'locked' : standing(answers, quorum)
    const isOpen = stand === 'lead' || stand === 'yield'
    return isOpen && answers.includes(undefined) ? undefined : 'yes'
  }
  const onLate = (status: NodeStatus, index: number): void => {
    if (hasFailed && status === 'granted') void startRound(claim, 'r', { asked: [index], elapsed })
  }

  try {
    while (rounds++ <= leadRounds) {
      // Those who yield need about as long as this took to find out and to be gone.
      if (rounds > 1) {
        await sleep(clock, (elapsed() - begun) * (0.4 + random() / 10), signal)
        begun = elapsed()
      }
      const isThrifty = rounds > 1 && rounds < 2 + thriftyRounds
      const wall = clock.wall() + fenceSpread * random()
      const lead = isThrifty ? planLead(answers, quorum, wall) : undefined
      const isAhead = ahead && rounds === 1
      const asked = isAhead
        ? [ahead.index, ...[...open.keys()].filter((index) => index !== ahead.index)]
        : lead?.asked
      const fence = lead?.fence ?? Math.max(wall, highest(answers, wall) + 1)
      answers = answers.map((answer, index) =>
        answer?.status === 'granted' && asked?.includes(index) === false ? answer : undefined,
      )
      const headStart = isAhead
        ? Math.min(ahead.patience ?? mostHeadStart, mostHeadStart, timeoutOf(settings, ttl) / 2)
        : 0
      const options = {
        elapsed,
        fence,
        answers,
        asked,
        headStart,
        signal,
        decide,
        isImpatient: true,
        onLate,
      }
      await startRound(claim, 'a', options)
      checkDistinct(settings)
      const isValid = validity() > 0
      hasWon = stand === 'won' && isValid
      if (stand !== 'lead' || !isValid || !isAffordable(claim)) break
    }
  } finally {
    hasFailed = !hasWon
    if (hasFailed) {
      const isHeld = stand === 'locked' && !signal?.aborted
      defer(claim.waitUntil, giveBack(claim, answers, isHeld, elapsed))
    }
  }
  if (hasWon) return { result: { ok: true, lock: hold(claim, validity, answers) }, answers }
  const isKnown = stand === 'locked' || (validity() > 0 && stand !== 'unavailable')
  const [seen, needed] = isRefusedFirst ? [[answers[ahead!.index]], 1] : [answers, quorum]
  const result: Refusal = {
    ok: false,
    reason: isKnown ? 'locked' : 'unavailable',
    retryAfter: freeIn(seen, needed, 1000),
    nodes: known(answers),
  }
  return { result, answers, holder: takenBy(seen, needed)?.holder }
}
