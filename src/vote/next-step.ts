import { againAfter, leadWithin, type Pace, patienceOf, slowAfter } from '../local/pace.ts'
import { type Answers, isOutage, quorumHolder, tallyOf, type Vote, voteOf } from './tally.ts'

/** One node's part in a ballot. All times are in ms since the ballot began. */
export type Seat = {
  /** How often the node was asked, when first, and when last. */
  asks: number
  firstAskedAt: number
  askedAt: number
  /** The argument of that request, if it was one of another script than that of locks. */
  argument?: string | undefined
  /** The ms that its first answer took; Infinity before. */
  roundTrip: number
  /** Cancels the request that is under way. */
  request?: AbortController | undefined
  /** Whether a ballot that failed has released the node. */
  isReleased?: boolean
}

/** What a ballot knows. */
export type View = {
  readonly answers: Answers
  readonly seats: readonly Seat[]
  /** Whether the budget allows to ask so many nodes, and to release them. */
  readonly canAsk: (count: number) => boolean
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
  /** When a lock that is won later would have expired. */
  readonly validity: number
  /** Whether the first node is asked alone, and its refusal is enough. */
  readonly isProbe: boolean
  /** By node: the ms that it last took; Infinity if it was slow. */
  readonly roundTrips: readonly (number | undefined)[]
  /** The ms that a quorum took lately. */
  readonly took: number | undefined
}

/** Ask these nodes, or settle, or do nothing until the next answer, or a time. */
export type Step<Result> =
  | { readonly ask: readonly number[] }
  | { readonly settle: Result }
  | { readonly until: number }

/** Decides on the next step of a ballot. It has no state and no effects. */
export type NextStep<Result> = (view: View, plan: Plan, pace: Pace, now: number) => Step<Result>

/**
 * How an acquire ends: a quorum granted it; a rival has one, or the probed node; nobody is known to have
 * one, and this client has yielded, or led in vain; or too many nodes failed.
 */
export type Standing = 'won' | 'locked' | 'split' | 'vain' | 'unavailable'

// Ms. Clocks and timers round: a step that is due by then is due now.
export const minDelay = 0.5

const settle = <Result>(result: Result): { readonly settle: Result } => ({ settle: result })

/** The wait for the next answer alone. */
const forAnswer = { until: Infinity }

/** The nodes whose turn has come, or when it comes: `concurrency` at a time, or one that may be enough. */
const nextTurn = (
  { answers, seats }: View,
  { order, concurrency, isProbe, took }: Plan,
  pace: Pace,
  now: number,
): { ask: readonly number[] } | { until: number } => {
  const last = order.at(-1)
  if (last === undefined || seats[last]!.asks) return forAnswer
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

/** Whether a node has not answered. */
const isOpen = ({ answers }: View, { order }: Plan): boolean =>
  order.some((index) => !answers[index])

/** The steps of a vote on a lock that is held. */
export const nextOfVote: NextStep<Vote> = (view, plan, pace, now) => {
  const vote = voteOf(view.answers, plan.quorum)
  if (vote) return settle(vote)
  return isOpen(view, plan) ? nextTurn(view, plan, pace, now) : settle('unknown')
}

/** The steps of a release, which reaches all nodes, also after its result is known. */
export const nextOfRelease: NextStep<Vote> = (view, plan, pace, now) => {
  const turn = nextTurn(view, plan, pace, now)
  // The result ends the timer, so it has to wait for the last turn.
  return 'ask' in turn || turn.until < Infinity ? turn : nextOfVote(view, plan, pace, now)
}

/** The steps of an inspection, which waits for all nodes. */
export const nextOfInspection: NextStep<'done'> = (view, plan, pace, now) =>
  isOpen(view, plan) ? nextTurn(view, plan, pace, now) : settle('done')

/** The ms that so many nodes took to answer; undefined before. */
export const tookOf = (seats: readonly Seat[], count: number): number | undefined => {
  // Without a list and a sort: every step of a ballot asks for it.
  let took = Infinity
  for (const { roundTrip } of seats) {
    let within = 0
    for (const other of seats) if (other.roundTrip <= roundTrip) within++
    if (within >= count) took = Math.min(took, roundTrip)
  }
  return took < Infinity ? took : undefined
}

/**
 * The ms for which each node is waited for: one that is far takes longer than a quorum, and about as long as usual.
 * Infinity before a quorum has answered.
 */
const patienceWith = (
  { seats }: View,
  { quorum, roundTrips }: Plan,
  pace: Pace,
): ((index: number) => number) => {
  const took = tookOf(seats, quorum)
  if (took === undefined) return () => Infinity
  const patience = patienceOf(pace, took, tookOf(seats, 1)!)
  return (index) => {
    const usual = roundTrips[index] ?? 0
    return Math.max(patience, usual < Infinity ? 2 * usual : 0)
  }
}

/** When nobody waits any longer for nodes that are late. */
const patientUntil = ({ answers, seats }: View, patience: (index: number) => number): number => {
  let until = 0
  for (const [index, { askedAt }] of seats.entries())
    if (!answers[index]) until = Math.max(until, askedAt + patience(index))
  return until
}

/**
 * Whether nobody else wants the lock at this moment, as far as the answers tell: a rival of this moment has about
 * as much of its ttl left as this client would have.
 */
const isAlone = ({ answers }: View, { ttl: own }: Plan, now: number): boolean =>
  answers.every((answer) => {
    if (answer?.holder === undefined) return true
    const { ttl = 0 } = answer
    return ttl > own || ttl < own - 2 * now
  })

/** The steps of a poll that is over once its answers decide, and does not wait for nodes that are late. */
export const nextOfPoll =
  (isDecided: (answers: Answers) => boolean): NextStep<'done'> =>
  (view, plan, pace, now) => {
    if (isDecided(view.answers) || !isOpen(view, plan)) return settle('done')
    const turn = nextTurn(view, plan, pace, now)
    if ('ask' in turn) return turn
    const patient = patientUntil(view, patienceWith(view, plan, pace))
    return now < patient ? { until: Math.min(turn.until, patient) } : settle('done')
  }

/** Whether the answer says who has the node. */
const speaks = (answer: Answers[number]): boolean =>
  answer?.status === 'granted' || answer?.holder !== undefined

/**
 * The steps of an acquire. They never decide who owns a lock: that is the quorum. In a split vote the
 * contender that has the front node, which is the first that has spoken, leads: it keeps its grants, and asks
 * the nodes of its rivals again until they have yielded. Everybody else yields.
 */
export const nextStep: NextStep<Standing> = (view, plan, pace, now) => {
  const { answers, seats } = view
  const { quorum, order } = plan
  const tally = tallyOf(answers)
  const { granted, refused, silent } = tally
  if (granted >= quorum) return settle(now < plan.validity ? 'won' : 'unavailable')
  if (isOutage(tally, answers, quorum)) return settle('unavailable')
  // A node that is being asked again may have been given up since it refused.
  let current = 0
  for (const { asks, askedAt, request, roundTrip } of seats)
    if (request && asks > 1) current = Math.max(current, askedAt + slowAfter(pace, roundTrip))
  const isCurrent = now >= current
  // What a node says too late, its holder may have heard too late as well.
  const patience = patienceWith(view, plan, pace)
  const isPrompt = (index: number): boolean => seats[index]!.roundTrip <= patience(index)
  const inTime = answers.map((answer, index) => (isPrompt(index) ? answer : undefined))
  if (refused >= quorum && quorumHolder(inTime, quorum))
    return isCurrent ? settle('locked') : { until: current }
  if (plan.isProbe && answers[order[0]!]?.holder && !seats[order[1]!]!.asks) return settle('locked')
  const turn = nextTurn(view, plan, pace, now)
  if ('ask' in turn) return turn

  const isSlow = (index: number): boolean => plan.roundTrips[index] === Infinity
  // While nodes that have not answered can make a quorum, or decide who leads, they are waited for.
  const isLate = answers.some((answer, index) => !answer && !isSlow(index))
  // Alone, there is nobody to yield to.
  const alone = isLate && isAlone(view, plan, now) ? pace.cold : 0
  const patient = silent ? Math.max(patientUntil(view, patience), alone) : 0
  const isPatient = now < patient
  const until = Math.min(turn.until, isPatient ? patient : Infinity)
  // Who may have a quorum waits longer, since others see it as the holder.
  const longest = pace.slow * (tookOf(seats, quorum) ?? Infinity)
  let pending = 0
  let last = until
  for (const [index, { asks, askedAt }] of seats.entries()) {
    if (answers[index]) continue
    const isAwaited = asks > 0 && !isSlow(index) && now < askedAt + longest
    if (!asks || isPatient || isAwaited) pending++
    if (isAwaited) last = Math.min(last, askedAt + longest)
  }
  if (pending && granted + pending >= quorum) return { until: last }

  let front = 0
  let isSkipped = false
  // Others may have taken the next node for the front, instead of one that speaks too late.
  while (front < seats.length && !(speaks(answers[front]) && isPrompt(front))) {
    const isSilent = !answers[front]
    if (isSilent && isPatient && !isSlow(front)) return { until }
    isSkipped ||= isSilent
    front++
  }
  if (answers[front]?.status !== 'granted') {
    // Further answers may show a rival that has a quorum, or a node before the front that is this client's.
    const mayLearn = isPatient && (isSkipped || granted + refused < quorum)
    if (!isCurrent) return { until: Math.min(until, current) }
    return mayLearn ? { until } : settle('split')
  }

  let [lastAsked, slowest] = [0, 0]
  for (const { firstAskedAt, roundTrip } of seats) {
    lastAsked = Math.max(lastAsked, firstAskedAt)
    if (roundTrip <= slowAfter(pace, plan.took ?? tookOf(seats, quorum)))
      slowest = Math.max(slowest, roundTrip)
  }
  const end = lastAsked + leadWithin(pace, slowest, plan.ttl)
  const due: number[] = []
  let isOpen = isPatient
  let soonest = until
  for (const [index, { asks, askedAt, roundTrip, request }] of seats.entries()) {
    const answer = answers[index]
    if (!answer || answer.error || answer.status === 'granted') continue
    // A clock that is coarse shows round trips of 0 ms.
    const at = askedAt + againAfter(pace, Math.max(minDelay, roundTrip), asks)
    if (!request && at > end) continue
    if (request) isOpen ||= !isCurrent
    else if (at <= now + minDelay) due.push(index)
    else {
      isOpen = true
      soonest = Math.min(soonest, at)
    }
  }
  if (due.length && view.canAsk(due.length)) return { ask: due }
  return isOpen ? { until: isCurrent ? soonest : Math.min(soonest, current) } : settle('vain')
}
