import { type Budget, isAffordable } from '../../local/budget.ts'
import { againAfter, leadUntil, type Pace, patienceOf, slowAfter } from '../../local/pace.ts'
import type { AcquireOutcome } from '../outcome.ts'
import type { KeyCommand } from '../../protocol/command.ts'
import { type Answers, isEndless, isOutage, quorumHolder, tallyOf } from '../quorum.ts'

/** One node's part in a ballot. All times are in ms since the ballot began. */
export type NodeProgress = {
  /** How often the node was asked, when first, and when last. */
  asks: number
  firstAskedAt: number
  askedAt: number
  /** Whether that request was noted as overdue. */
  isOverdue?: boolean
  /** The last command that it was asked to run. */
  command?: KeyCommand | undefined
  /** The ms that its first answer took; Infinity before. */
  roundTrip: number
  /** Cancels the request that is under way. */
  request?: AbortController | undefined
}

/** What a ballot knows. */
export type View = {
  readonly answers: Answers
  readonly seats: readonly NodeProgress[]
  readonly budget: Readonly<Budget>
}

/** The intentions of a ballot. */
export type Plan = {
  /** The nodes in the order in which they are asked. */
  readonly order: readonly number[]
  readonly quorum: number
  /** How many answers are awaited at the same time. */
  readonly concurrency: number
  /** Ms that the nodes are to hold the lease. */
  readonly ttl: number
  /** When a lock that was won has expired. */
  readonly validity: number
  /** Whether the first node is asked alone, and its refusal is enough. */
  readonly isProbe: boolean
  /** By node: the ms that it last took; Infinity if it was slow. */
  readonly roundTrips: readonly (number | undefined)[]
  /** The ms that a quorum took lately. */
  readonly took: number | undefined
}

/**
 * Ask these nodes, or settle, or do nothing until the next answer, or a time. `isUndecided`: a node that was left alone
 * could still change the result.
 */
export type Step<Result> =
  | { readonly ask: readonly number[] }
  | { readonly settle: Result; readonly isUndecided?: boolean }
  | { readonly until: number }

/** Decides on the next step of a ballot. It has no state and no effects. */
export type Rule<Result> = (view: View, plan: Plan, pace: Pace, now: number) => Step<Result>

// Ms. Clocks and timers round: a step that is due by then is due now.
export const minDelay = 0.5

/** The step that settles on what the nodes have decided. */
export const settle = <Result>(result: Result): { readonly settle: Result } => ({ settle: result })

/** The step that settles although more nodes could change the result. */
export const undecided = <Result>(
  result: Result,
): { readonly settle: Result; readonly isUndecided: true } => ({
  settle: result,
  isUndecided: true,
})

/** The nodes whose turn has come, or when it comes: `concurrency` at a time, or one that may be enough. */
export const nextTurn = (
  { answers, seats }: View,
  { order, concurrency, isProbe, took }: Plan,
  pace: Pace,
  now: number,
): { ask: readonly number[] } | { until: number } => {
  const last = order.at(-1)
  if (last === undefined || seats[last]!.asks) return { until: Infinity }
  let asked = 0
  let awaited = 0
  let until = Infinity
  while (seats[order[asked]!]!.asks) {
    const index = order[asked++]!
    const passes = seats[index]!.askedAt + slowAfter(pace, took)
    if (answers[index] || now >= passes) continue
    awaited++
    until = Math.min(until, passes)
  }
  const isProbing = isProbe && (asked === 0 || (asked === 1 && awaited > 0))
  const free = (isProbing ? 1 : concurrency) - awaited
  return free > 0 ? { ask: order.slice(asked, asked + free) } : { until }
}

/** The ms that so many nodes took to answer; undefined before. */
export const timeOfQuorum = (seats: readonly NodeProgress[], count: number): number | undefined => {
  // Without a list and a sort: every step of a ballot asks for it.
  let took = Infinity
  for (const { roundTrip } of seats) {
    let within = 0
    if (roundTrip < took) for (const other of seats) if (other.roundTrip <= roundTrip) within++
    if (within >= count) took = roundTrip
  }
  return took < Infinity ? took : undefined
}

/** The ms for which a node's first answer is awaited: one that is far takes about as long as usual. */
export const waitFor = (patience: number, usual: number = 0): number =>
  usual < Infinity ? Math.max(patience, 2 * usual) : patience

/**
 * Whether nobody else wants the lock at this moment, as far as the answers tell: a rival has about as much of its
 * ttl left as this client would have, or less by the ms for which it may have led.
 */
const isAlone = (answers: Answers, own: number, led: number): boolean =>
  answers.every((answer) => {
    if (answer?.holder === undefined) return true
    const { ttl = 0 } = answer
    return ttl > own || ttl < own - led
  })

/** Whether the answer says who has the node. */
const speaks = (answer: Answers[number]): boolean =>
  answer?.status === 'granted' || (answer?.holder !== undefined && !isEndless(answer))

/** Whether a node that another holds may come to grant. */
const mayYield = (answer: Answers[number]): boolean =>
  !!answer && !answer.error && !isEndless(answer) && answer.status !== 'granted'

/** Whether the probed node was enough: it says that another has the lock. */
const isRefused = (view: View, { isProbe, order }: Plan): boolean => {
  const answer = view.answers[order[0]!]
  return isProbe && !!answer?.holder && speaks(answer) && !view.seats[order[1]!]!.asks
}

/**
 * The steps of an acquire. They never decide who owns a lock: that is the quorum. In a split vote the
 * contender that has the front node, which is the first that has spoken, leads: it keeps its grants, and asks
 * the nodes of its rivals again until they have yielded. Everybody else yields.
 */
export const acquireRule: Rule<AcquireOutcome> = (view, plan, pace, now) => {
  const { answers, seats } = view
  const { quorum, roundTrips } = plan
  const tally = tallyOf(answers)
  const { granted, rejected, silent } = tally
  if (granted >= quorum) return settle('acquired')
  if (isOutage(tally, answers, quorum)) return undecided('unavailable')
  if (isRefused(view, plan)) return settle('held')
  const took = timeOfQuorum(seats, quorum)
  // Before a quorum has spoken, a ballot that may be won has nothing to decide.
  const turn = nextTurn(view, plan, pace, now)
  if (took === undefined && granted + silent >= quorum) return turn

  // A holder that a node names late may have yielded before it heard of its grant. What the node says again counts.
  const patience = patienceOf(pace, took, timeOfQuorum(seats, 1))
  const inTime = seats.map(({ asks, request, roundTrip }, index) =>
    roundTrip <= patience || (asks > 1 && !request) || answers[index]?.status === 'granted'
      ? answers[index]
      : undefined,
  )
  const isSlow = (index: number): boolean => roundTrips[index] === Infinity
  // Alone, it yields to nobody.
  const led = now + leadUntil(pace, 0, took ?? now, plan.validity)
  const alone = isAlone(answers, plan.ttl, led) ? pace.cold : 0
  let until = 'until' in turn ? turn.until : Infinity
  let [pending, hopeful] = [0, 0]
  let isAsking = false
  /** By node: whether its first answer, or the next one, is awaited. */
  const awaited = seats.map(({ asks, askedAt, request, roundTrip }, index) => {
    let end = 0
    if (!asks) end = Infinity
    else if (!answers[index])
      end = Math.max(askedAt + waitFor(patience, roundTrips[index]), isSlow(index) ? 0 : alone)
    else if (request && asks > 1) end = askedAt + slowAfter(pace, roundTrip)
    if (!isSlow(index) && (!answers[index] || answers[index].status === 'timeout')) hopeful++
    if (now >= end) return false
    until = Math.min(until, end)
    if (answers[index]) isAsking = true
    else pending++
    return true
  })

  if (rejected >= quorum && quorumHolder(inTime, quorum))
    return isAsking ? { until } : settle('held')
  if ('ask' in turn) return turn
  if (pending && granted + pending >= quorum) return { until }

  let front = 0
  // Further answers may show a rival that has a quorum, or a node before the front that is this client's.
  let mayLearn = isAsking || (pending > 0 && granted + rejected < quorum)
  while (front < seats.length && !speaks(inTime[front])) {
    if (awaited[front] && !answers[front]) {
      if (!isSlow(front)) return { until }
      mayLearn = true
    }
    front++
  }
  if (answers[front]?.status !== 'granted') {
    if (mayLearn) return { until }
    // What nodes have not told may be grants: to others, this client then is the leader or has a quorum.
    return undecided(hopeful >= (front ? 1 : quorum - granted) ? 'stalemate' : 'contended')
  }

  let [lastAsked, slowest] = [0, 0]
  for (const { firstAskedAt, roundTrip } of seats) {
    lastAsked = Math.max(lastAsked, firstAskedAt)
    if (roundTrip <= slowAfter(pace, plan.took ?? took)) slowest = Math.max(slowest, roundTrip)
  }
  const end = leadUntil(pace, lastAsked, slowest, plan.validity)
  const due: number[] = []
  let mayWin = isAsking || pending > 0
  for (const [index, { asks, askedAt, roundTrip, request }] of seats.entries()) {
    const answer = answers[index]
    if (request || !mayYield(answer)) continue
    // A clock that is coarse shows round trips of 0 ms.
    const at = askedAt + againAfter(pace, Math.max(minDelay, roundTrip), asks)
    if (at > end) continue
    if (at <= now + minDelay) due.push(index)
    else {
      mayWin = true
      until = Math.min(until, at)
    }
  }
  if (due.length && isAffordable(view.budget, due.length)) return { ask: due }
  return mayWin ? { until } : undecided('stalemate')
}
