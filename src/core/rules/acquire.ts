import { againAfter, leadUntil, patienceOf, slowAfter } from '../process/pace.ts'
import type { AcquireOutcome } from '../outcome.ts'
import {
  type Answer,
  type Answers,
  isEndless,
  isOutage,
  quorumHolder,
  type Tally,
  tallyOf,
} from '../quorum.ts'
import {
  done,
  minDelay,
  nextTurn,
  type RoundView,
  type Rule,
  type Step,
  timeOfQuorum,
  undecided,
} from '../rule.ts'

// One round of the Redlock algorithm: ask all nodes and count their answers. The client owns the lock once a quorum has
// granted it. A round that ends without the lock releases its grants.
//
// Clients that ask at the same moment can split the nodes among themselves, so that none has a quorum. They never talk
// to each other, but the answers show each client who holds which node. So all clients follow one rule:
//
// - The tie is broken by the first node, in the order of the node names, that has a known holder.
// - The client that holds this node leads: it keeps its grants, and asks the nodes of the other clients again. It
//   usually waits first for nodes that have yet to answer. If it competes with several clients and would need all of
//   those nodes, it leads without waiting, once a quorum has answered.
// - All other clients yield: they release their grants and end the round as `contended`. If others may have yielded to
//   them, they end it as `stalemate`.
// - A leader that still has no quorum after a while gives up and ends the round as `stalemate`. The other clients have
//   crashed, or are still asking.
//
// The rule only saves time. Safety does not depend on it, because only a quorum makes a client the owner. Nodes that
// hang must not delay any client. So the rule does not wait for late nodes, and ignores the holders that they name.
// Grants always count.

/** Decides the next step of a round that asks for a lock. */
export const acquireRule: Rule<AcquireOutcome> = (round, now) => {
  const { answers, plan } = round
  const { quorum } = plan
  const count = tallyOf(answers)
  if (count.granted >= quorum) return done('acquired')
  if (isOutage(count, answers, quorum)) return undecided('unavailable')
  if (isProbeRejected(round)) return done('taken')

  const turn = nextTurn(round, now)
  if (isTooEarly(round, count)) return turn
  const vote = readVote(round, now, turn)
  const wait = { wakeAt: vote.wakeAt }
  if (count.rejected >= quorum && quorumHolder(vote.counted, quorum))
    return vote.askedAgain ? wait : done('taken')
  if ('send' in turn) return turn
  return breakTie(round, vote, count, now)
}

/** Leads, yields, or waits for a node whose answer can decide between the two. */
const breakTie = (
  round: RoundView,
  vote: Vote,
  count: Tally,
  now: number,
): Step<AcquireOutcome> => {
  const wait = { wakeAt: vote.wakeAt }
  const first = firstOwned(vote.counted)
  // An earlier node that has yet to answer may break the tie instead.
  const isSilent = (_: unknown, rank: number): boolean =>
    rank < first && !!vote.awaited[rank] && !round.answers[rank]
  if (round.nodes.some(isSilent)) return wait
  // How many of the awaited nodes can reject without making a quorum impossible.
  const spare = count.granted + vote.pending - round.plan.quorum
  if (vote.counted[first]?.status === 'granted')
    // If several other clients compete, this one is unlikely to win all nodes that have yet to answer.
    return spare > 0 || (spare === 0 && vote.rivals < 2) ? wait : lead(round, vote, now)
  // Whether further answers may show that another client has a quorum.
  const isOpen = vote.pending > 0 && count.granted + count.rejected < round.plan.quorum
  if (spare >= 0 || vote.askedAgain || isOpen) return wait
  return undecided(yieldAs(round, first, count))
}

/** Whether only one node was asked, and it named another holder. */
const isProbeRejected = ({ answers, nodes, plan: { isProbe, order } }: RoundView): boolean =>
  isProbe && namesHolder(answers[order[0]!]) && !nodes[order[1]!]!.requests

/** Whether it is too early to decide, because no quorum has answered and the round may still acquire the lock. */
const isTooEarly = ({ nodes, plan: { quorum } }: RoundView, count: Tally): boolean =>
  timeOfQuorum(nodes, quorum) === undefined && count.granted + count.silent >= quorum

const wasSlow = ({ plan }: RoundView, rank: number): boolean => plan.roundTrips[rank] === Infinity

/** A vote that may be split. */
type Vote = {
  /** By node: its answer, if it came in time. */
  readonly counted: Answers
  /** By node: whether its first or next answer is awaited. */
  readonly awaited: readonly boolean[]
  /** How many nodes are awaited that have not answered yet. */
  readonly pending: number
  /** How many nodes are awaited that were asked again. */
  readonly askedAgain: number
  /** How many clients that may be competing now were named in time. */
  readonly rivals: number
  /** When to decide again, unless a node answers earlier. */
  readonly wakeAt: number
}

const readVote = (round: RoundView, now: number, turn: Step<never>): Vote => {
  const { answers, nodes, plan } = round
  const patience = patienceOf(plan.pace, timeOfQuorum(nodes, plan.quorum), timeOfQuorum(nodes, 1))
  const isRival = rivalTest(round, now)
  const isCompeting = answers.some(isRival)
  let wakeAt = 'wakeAt' in turn ? turn.wakeAt : Infinity
  let pending = 0
  let askedAgain = 0
  const awaited = nodes.map((_, rank) => {
    const end = awaitedUntil(round, rank, patience, isCompeting)
    if (now >= end) return false
    wakeAt = Math.min(wakeAt, end)
    if (answers[rank]) askedAgain++
    else pending++
    return true
  })
  const counted = countedOf(round, patience)
  const rivals = new Set(counted.filter(isRival).map((answer) => answer?.holder)).size
  return { counted, awaited, pending, askedAgain, rivals, wakeAt }
}

/** When to stop waiting for an answer from this node; -Infinity if there is no need to wait. */
const awaitedUntil = (
  round: RoundView,
  rank: number,
  patience: number,
  isCompeting: boolean,
): number => {
  const { pace } = round.plan
  const { requests, askedAt, isInFlight, roundTrip } = round.nodes[rank]!
  if (!requests) return Infinity
  if (!round.answers[rank]) {
    const end = askedAt + patience
    // If no other client seems to compete, none is waiting for this client to yield, so a node has more time to grant.
    return isCompeting || wasSlow(round, rank) ? end : Math.max(end, pace.cold)
  }
  return requests > 1 && isInFlight ? askedAt + slowAfter(pace, roundTrip) : -Infinity
}

/**
 * The answers that count. Late answers are left out unless they grant the lock, because the holder they name may have
 * yielded since. Answers to repeated requests always count.
 */
const countedOf = ({ answers, nodes }: RoundView, patience: number): Answers =>
  nodes.map(({ requests, isInFlight, roundTrip }, rank) =>
    roundTrip <= patience || (requests > 1 && !isInFlight) || answers[rank]?.status === 'granted'
      ? answers[rank]
      : undefined,
  )

/**
 * Returns a test for holders that may be competing now. The remaining TTL of a competing holder is about the full TTL,
 * or less by the time that this holder may have led.
 */
const rivalTest = (
  { nodes, plan }: RoundView,
  now: number,
): ((answer: Answers[number]) => boolean) => {
  const took = timeOfQuorum(nodes, plan.quorum) ?? now
  const led = now + leadUntil(plan.pace, 0, took, plan.validity)
  return (answer) => {
    if (answer?.holder === undefined) return false
    const { ttl = 0 } = answer
    return ttl <= plan.ttl && ttl >= plan.ttl - led
  }
}

/** Whether the answer names another client that may hold the lock. Data that never expires belongs to no client. */
const namesHolder = (answer: Answers[number]): boolean =>
  answer?.holder !== undefined && !isEndless(answer)

/** The first node with a known holder; the number of nodes if there is none. */
const firstOwned = (counted: Answers): number => {
  const first = counted.findIndex((answer) => answer?.status === 'granted' || namesHolder(answer))
  return first < 0 ? counted.length : first
}

/**
 * The outcome for a client that yields: `stalemate` if others may have yielded to it, so that no client has the lock.
 */
const yieldAs = (round: RoundView, first: number, { granted }: Tally): AcquireOutcome => {
  const { answers, plan } = round
  const mayHaveGranted = answers.filter(
    (answer, rank) => !wasSlow(round, rank) && (!answer || answer.status === 'timeout'),
  ).length
  // If a silent node before the first owned one has granted, other clients take this client for the leader. Without
  // such a node, they take this client for the owner only if the silent nodes complete its quorum.
  const needed = first > 0 ? 1 : plan.quorum - granted
  return mayHaveGranted >= needed ? 'stalemate' : 'contended'
}

/** Whether a node that another client holds may grant the lock later. */
const mayComeFree = (answer: Answer): boolean =>
  !answer.error && !isEndless(answer) && answer.status !== 'granted'

/** Asks the nodes of the other clients again: immediately at first, then less and less often. */
const lead = (round: RoundView, vote: Vote, now: number): Step<AcquireOutcome> => {
  const { answers, nodes, plan } = round
  const { pace, budget } = plan
  const took = timeOfQuorum(nodes, plan.quorum) ?? 0
  const end = endOfLead(round)
  // The leader may have waited for a node that hangs. A lock acquired this late could expire before its first extension
  // is answered.
  const isTooLate = now > pace.leadShare * plan.validity
  const due: number[] = []
  let { wakeAt } = vote
  let mayWin = vote.askedAgain > 0 || vote.pending > 0
  for (const [rank, { requests, askedAt, roundTrip, isInFlight }] of nodes.entries()) {
    const answer = answers[rank]
    if (isInFlight || !answer || !mayComeFree(answer)) continue
    // With a coarse clock, a round trip can measure 0 ms.
    const at = askedAt + againAfter(pace, Math.max(minDelay, roundTrip), took, requests)
    if (isTooLate || at > end) continue
    if (at <= now + minDelay) due.push(rank)
    else {
      mayWin = true
      wakeAt = Math.min(wakeAt, at)
    }
  }
  // Far nodes are skipped while nearer ones are asked again.
  const near = due.filter((rank) => nodes[rank]!.roundTrip <= pace.far * took)
  const send = vote.askedAgain || near.length ? near : due
  if (send.length && budget.affords(send.length)) return { send }
  return mayWin ? { wakeAt } : undecided('stalemate')
}

/** When the leader gives up. */
const endOfLead = ({ nodes, plan }: RoundView): number => {
  const lastAsked = Math.max(...nodes.map(({ firstAskedAt }) => firstAskedAt))
  return leadUntil(plan.pace, lastAsked, timeOfQuorum(nodes, plan.quorum) ?? 0, plan.validity)
}
