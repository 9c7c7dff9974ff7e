import { refund, reserve } from '../local/budget.ts'
import { slowAfter } from '../local/pace.ts'
import { type Clock, deferred, onAbort, type Stopwatch, stopwatch } from '../util/clock.ts'
import { invariant } from '../util/validate.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { aboutKeysOf, senderOf } from './send.ts'
import { enterAnswer } from './distinct-servers.ts'
import { type Answer, type Answers, highestCounter, isTaken, reportOf, tallyOf } from './quorum.ts'
import { answerTimeoutOf, cancelTimeoutOf, type Lease, validityOf } from './attempt.ts'
import {
  minDelay,
  type Rule,
  type Plan,
  type NodeProgress,
  timeOfQuorum,
  type View,
} from './rules/acquire.ts'
import type { Interruption } from './outcome.ts'
import { noteHealth } from './node-health.ts'
import { releaseRule, type Operation, releasing } from './operations.ts'
import { isLeftAlone, noteAsked, noteOverdue, overdueAfter } from '../local/isolate-cache.ts'

// Ms. A timer that rings later does so after a pause of the process, and before what has arrived meanwhile is read.
const maxLate = 20

export type RoundOptions<Result> = {
  readonly operation: Operation
  readonly next: Rule<Result>
  /** The nodes to ask, in that order. Default: all, slow ones last. */
  readonly order?: readonly number[] | undefined
  readonly isProbe?: boolean
  /** The ms for which an answer is waited for. Default: as long as the ttl allows. */
  readonly timeout?: number
  /** The ms after which the ballot ends as `late`. */
  readonly deadline?: number
  /** Whether a ballot that was not `won` releases what it may hold. */
  readonly isAllOrNothing?: boolean
  /** Ms for which the nodes are to hold the lease. Default: its ttl. */
  readonly ttl?: number
  /** The fence counter that nodes are to reach. */
  readonly counter?: number
  /** Called with each answer that arrives after the result. */
  readonly onLate?: (index: number, answer: Answer) => void
  /** A stopwatch that was started before. */
  readonly elapsed?: Stopwatch | undefined
  readonly signal?: AbortSignal | undefined
}

/** One operation on a lease, with one entry per node. */
export type FinishedRound<Result = unknown> = View & {
  readonly lease: Lease
  readonly plan: Plan
  /** Reads the ms since it began. */
  readonly elapsed: Stopwatch
  readonly answers: (Answer | undefined)[]
  /** The result, once it is settled. */
  result: Result | Interruption | undefined
}

/** The counter that nodes are to reach: that of those that have granted, so that a quorum may agree on a token. */
const counterOf = (answers: Answers, clock: Clock): number => {
  const wall = clock.wall()
  const granted = answers.filter((answer) => answer?.status === 'granted')
  return highestCounter(granted, wall) || wall
}

const hasExpired = (answer: Answer | undefined): boolean => answer?.status === 'timeout'

// With all fields, so that no store of one makes another shape of a seat.
const newSeat = (): NodeProgress => ({
  asks: 0,
  firstAskedAt: 0,
  askedAt: 0,
  isOverdue: false,
  command: undefined,
  roundTrip: Infinity,
  request: undefined,
})

/** The nodes in the order in which to ask them: those that are slow or down must not take the turns of the others. */
const orderOf = ({ subject: { client } }: Lease): readonly number[] => {
  const { roundTrips, downSince } = client.cache
  const isLast = (at: number): boolean => roundTrips[at] === Infinity || downSince[at]! < Infinity
  const last = client.ranks.filter(isLast)
  return last.length ? [...client.ranks.filter((index) => !isLast(index)), ...last] : client.ranks
}

/**
 * Holds a ballot: asks the nodes as its next step says, enters their answers whenever they come, and resolves
 * once it is settled. An acquisition that was not won then releases what may be held: grants that are known at once,
 * the others as they arrive.
 *
 * A request under way is left to finish, also when the caller aborts: the node may have received it, and its
 * connection may just be opening. It is cancelled at its timeout.
 *
 * @throws the signal's reason.
 */
export const runRound = <Result>(
  lease: Lease,
  options: RoundOptions<Result>,
): Promise<FinishedRound<Result>> =>
  new Promise((resolve, reject) => {
    const { operation, next, isAllOrNothing, onLate, signal } = options
    const { ttl = lease.ttl, order = orderOf(lease), isProbe = false } = options
    const { mayHold, subject } = lease
    const { client, waitUntil, budget, emit } = subject
    const { cache, clock, concurrency, nodes, pace, quorum, ranks } = client
    const { elapsed = stopwatch(clock), deadline = Infinity } = options
    const { timeout = answerTimeoutOf(client, ttl) } = options
    const about = aboutKeysOf(lease)
    // An acquire usually opens the connection, so it gets the time for that.
    const cancelAfter = operation.locks ? cancelTimeoutOf(client) : timeout
    const overdue = Math.min(overdueAfter, timeout)
    // A release of some nodes knows that the others do not hold the lease.
    const answers = ranks.map((index): Answer | undefined =>
      operation.frees && !order.includes(index)
        ? { node: nodes[index]!.name, status: 'absent' }
        : undefined,
    )
    const seats = ranks.map(newSeat)
    const plan: Plan = {
      order,
      quorum,
      concurrency,
      ttl,
      validity: validityOf(client, ttl),
      isProbe,
      roundTrips: cache.roundTrips.slice(),
      took: cache.took,
    }
    const ballot: FinishedRound<Result> = {
      lease,
      plan,
      elapsed,
      answers,
      seats,
      result: undefined,
      budget,
    }
    /** What the timer is set for, and what stops it. `due`: then, or when it was set, whichever is later. */
    let ring = Infinity
    let due: number
    let stopTimer: (() => void) | undefined
    let isPostponed = false
    /** The nodes that were left alone, and when they are asked after all, since the others are slow. */
    let leftAlone: number[] = []
    let recallAt = Infinity

    /** Nobody else could catch an error of a callback. */
    const guarded =
      <A, B>(run: (first: A, second: B) => void) =>
      (first?: A, second?: B): void => {
        try {
          run(first!, second!)
        } catch (error) {
          ballot.result ??= 'aborted'
          reject(error)
        }
      }

    const enter = (index: number, answer: Answer, now: number): void => {
      const { error } = answer
      // Nearly always there is nothing to report.
      if ((error || cache.downSince[index] !== Infinity) && !signal?.aborted) {
        noteHealth(subject, index, answer, operation.frees)
        if (error) emit?.({ type: 'node-error', elapsed: now, ...reportOf(answer) })
      }
      const ignored = enterAnswer(subject, answers, index, answer)
      // Two answers of one server do not show how long a quorum takes.
      if (ignored !== undefined) seats[ignored]!.roundTrip = Infinity
    }

    const ask = (indexes: readonly number[], now: number, mayLeave = true): void => {
      const { counter = isAllOrNothing ? counterOf(answers, clock) : 0 } = options
      const terms = { ttl, minCounter: Math.floor(counter) }
      const command = operation.make(about, terms, ballot, plan, indexes)
      const send = senderOf(lease, operation, command)
      const controller = new AbortController()
      const monotonic = clock.monotonic()
      for (const index of indexes) {
        const seat = seats[index]!
        if (!seat.asks++) seat.firstAskedAt = now
        seat.askedAt = now
        seat.isOverdue = false
        seat.command = command
        if (mayLeave && !operation.frees && isLeftAlone(client, index, monotonic)) {
          const error = new RedlockError('was not asked: it does not answer')
          answers[index] = { node: nodes[index]!.name, status: 'error', error }
          leftAlone.push(index)
          recallAt = Math.min(recallAt, now + slowAfter(pace, plan.took))
          continue
        }
        if (isAllOrNothing) reserve(budget, 1)
        if (operation.locks) mayHold[index]!++
        seat.request = controller
        noteAsked(client, index, monotonic)
        send(index, controller.signal, receive)
      }
    }

    const receive = guarded((index: number, answer: Answer): void => {
      const seat = seats[index]!
      // The end of a release that has asked all nodes depends on no time.
      const now = operation.frees && order.length <= concurrency ? 0 : elapsed(true)
      const { result } = ballot
      seat.request = undefined
      // A refusal says nothing about another delivery of the same call.
      const isOnce = !answer.isRepeated && !nodes[index]!.resends
      if (isTaken(answer) && operation.writes && isOnce && mayHold[index]! > 0) {
        mayHold[index]!--
        if (isAllOrNothing && result !== 'acquired') refund(budget, 1)
      }
      if (!answer.error && seat.asks === 1) {
        seat.roundTrip = now - seat.askedAt
        if (!operation.frees) cache.latencies[index] = seat.roundTrip
      }
      // What a node says too late still shows what it holds. An error is that of the timeout.
      const isNews = !answer.error || !hasExpired(answers[index])
      if (isNews) enter(index, answer, now)
      // A grant may have arrived after its release.
      if (isLost()) release([index], answer.status === 'granted')
      if (isNews && result !== undefined) onLate?.(index, answer)
      goOn(now)
    })

    /** Whether it is an acquisition that was not won. */
    const isLost = (): boolean | undefined =>
      isAllOrNothing && ballot.result && ballot.result !== 'acquired'

    const settle = (decided: Result | Interruption): void => {
      if (ballot.result !== undefined) return
      stopListening?.()
      // A lock that is won later would have expired.
      const result = decided === 'acquired' && elapsed() >= plan.validity ? 'unavailable' : decided
      ballot.result = result
      if (result === 'acquired') {
        invariant(tallyOf(answers).granted >= quorum, 'quorum')
        // Its release is no longer part of the acquire.
        for (const count of mayHold) refund(budget, count)
      }
      // The next ballot begins with a node that answers.
      if (result === 'stalemate')
        for (const i of order) if (!answers[i]) cache.roundTrips[i] = Infinity
      if (isLost()) release(ranks)
      if (result === 'aborted') reject(signal!.reason)
      else resolve(ballot)
    }

    /** Releases what an acquisition may hold that was not won. A node that has not answered yet may refuse. */
    const release = (indexes: readonly number[], isHeld = false): void => {
      const holders = indexes.filter((index) => answers[index] && (isHeld || mayHold[index]! > 0))
      for (const index of holders) {
        refund(budget, mayHold[index]!)
        mayHold[index] = 0
      }
      if (holders.length)
        void runRound(lease, { operation: releasing, next: releaseRule, order: holders })
    }

    /** Asks the nodes that were left alone. What an isolate knows of a node must not fail a ballot. */
    const recall = (now: number): void => {
      const recalled = leftAlone
      leftAlone = []
      recallAt = Infinity
      for (const index of recalled) {
        answers[index] = undefined
        seats[index]!.asks = 0
      }
      ask(recalled, now, false)
    }

    /** Does what is to be done now, and sets the timer to when there is more to do without an answer. */
    const goOn = (now: number): void => {
      let until = Infinity
      for (;;) {
        if (isLost()) break
        const step = next(ballot, plan, pace, now)
        if ('ask' in step) {
          ask(step.ask, now)
          continue
        }
        const isDue = 'settle' in step ? step.isUndecided : now >= recallAt
        if (isDue && leftAlone.length > 0 && ballot.result === undefined) {
          recall(now)
          continue
        }
        if ('until' in step) until = step.until
        else settle(step.settle)
        break
      }
      if (ballot.result === undefined) until = Math.min(until, deadline, recallAt)
      for (const index of ranks) {
        const seat = seats[index]!
        const end = hasExpired(answers[index]) ? cancelAfter : timeout
        const patience = seat.isOverdue ? end : overdue
        if (seat.request) until = Math.min(until, seat.askedAt + patience)
      }
      if (until < ring) {
        stopTimer?.()
        ring = until
        due = Math.max(until, now)
        stopTimer = clock.setTimer(onTimer, Math.max(minDelay, until - now))
      }
      if (until === Infinity) {
        stopTimer?.()
        finish?.()
        if (!isAllOrNothing) return
        // What the next ballot is to know: how long a quorum took, and which nodes are slow.
        cache.took = timeOfQuorum(seats, quorum) ?? cache.took
        const limit = slowAfter(pace, cache.took)
        for (const index of ranks) {
          const { roundTrip } = seats[index]!
          if (roundTrip < Infinity)
            cache.roundTrips[index] = roundTrip > limit ? Infinity : roundTrip
        }
      }
    }

    const onTimer = guarded((): void => {
      const now = elapsed(true)
      ring = Infinity
      // Once: on a busy machine, each timer may be late.
      isPostponed = now > due + maxLate && !isPostponed
      if (isPostponed) return goOn(now)
      // Nodes that have not answered in time have failed.
      for (const index of ranks) {
        const seat = seats[index]!
        if (!seat.request) continue
        const age = now - seat.askedAt
        if (!seat.isOverdue && age >= overdue) {
          seat.isOverdue = true
          noteOverdue(client, index)
        }
        if (age >= timeout && !hasExpired(answers[index])) {
          const error = new RedlockError(`no answer in ${Math.round(timeout)} ms`)
          cache.roundTrips[index] = Infinity
          enter(index, { node: nodes[index]!.name, status: 'timeout', error }, now)
          if (isLost()) release([index])
        }
        if (age >= cancelAfter) {
          seat.request.abort()
          seat.request = undefined
        }
      }
      goOn(now)
      // Only the timer ends it: answers that have arrived count, however busy the process is.
      if (now < deadline) return
      settle('timeout')
      goOn(now)
    })

    // Now, so that no other ballot takes the requests of nodes whose turn has yet to come.
    if (!isAllOrNothing) budget.left -= order.length
    // Now, so that a release also reaches nodes whose turn to be extended has yet to come.
    if (operation.restores) for (const index of order) mayHold[index]!++
    const finish = waitUntil && deferred(waitUntil)
    const onSignal =
      signal &&
      guarded(() => {
        settle('aborted')
        goOn(elapsed(true))
      })
    const stopListening = onSignal && onAbort(signal, onSignal)
    // A callback of the user may have aborted it.
    if (signal?.aborted) settle('aborted')
    goOn(0)
  })
