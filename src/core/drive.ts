import { noteAsked, noteOverdue } from './process/isolate-cache.ts'
import type { Client } from './process/client.ts'
import { slowAfter } from './process/pace.ts'
import { type Clock, deferred, onAbort, type Stopwatch, stopwatch } from '../util/clock.ts'
import type { Attempt } from './attempt.ts'
import { reportDuplicate } from './distinct-servers.ts'
import { noteHealth } from './node-health.ts'
import { releasing } from './operations.ts'
import type { Interruption, Outcome } from './outcome.ts'
import { planOf, type RoundOptions } from './plan.ts'
import { type Answer, type Answers, highestCounter, reportOf, tallyOf } from './quorum.ts'
import { type Effect, Round } from './round.ts'
import { type Choice, minDelay, type RoundView, timeOfQuorum } from './rule.ts'
import { releaseRule } from './rules/held.ts'
import { aboutKeysOf, senderOf } from './send.ts'

// In ms. If a timer is this late, the process was paused, and answers that arrived in the meantime are read first.
const maxLate = 20

/** Receives the answers that arrive after a round has its outcome. */
export type RoundListener = {
  /** Called with each such answer, unless it is an error. */
  onLate(rank: number, answer: Answer): void
}

/** A round with its outcome. Late answers still change its `answers`. */
export type FinishedRound<End extends Outcome = Outcome> = RoundView & {
  readonly outcome: End | Interruption
  /** Returns the time since the round began, in ms. */
  readonly elapsed: Stopwatch
  /** Set by the code that ran the round. */
  listener?: RoundListener | undefined
}

/**
 * The fence counter to request from the nodes: the highest one granted so far, so that a quorum can agree on one token.
 */
const counterOf = (answers: Answers, clock: Clock): number => {
  const wall = clock.wall()
  const granted = answers.filter((answer) => answer?.status === 'granted')
  return highestCounter(granted, wall) || wall
}

/** Drives a round: sends its requests, runs its timer, and passes it every event. */
class Driver<End extends Outcome> {
  readonly #attempt: Attempt
  readonly #client: Client
  readonly #options: RoundOptions<End>
  readonly #resolve: (round: FinishedRound<End>) => void
  readonly #reject: (error: unknown) => void
  readonly #round: Round
  readonly #elapsed: Stopwatch
  /** By node: the controller that cancels its last request. */
  readonly #controllers: AbortController[] = []
  /** The time for which the timer is set; Infinity if there is no timer. */
  #ringsAt = Infinity
  /** When the timer should fire: at `#ringsAt`, or immediately if that time had passed when the timer was set. */
  #dueAt = Infinity
  #stopTimer: (() => void) | undefined
  /** Whether the timer last fired so late that pending answers were read first. */
  #isPostponed = false
  #stopListening: (() => void) | undefined
  #finish: (() => void) | undefined
  #finished: FinishedRound | undefined

  constructor(
    attempt: Attempt,
    options: RoundOptions<End>,
    resolve: (round: FinishedRound<End>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#attempt = attempt
    this.#client = attempt.subject.client
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    const { clock } = this.#client
    const { elapsed = stopwatch(clock), rule } = options
    this.#elapsed = elapsed
    // A release asks every node, however long the node has been silent, so it does not need the time.
    const begunAt = options.operation.frees ? 0 : clock.monotonic() - elapsed(true)
    this.#round = new Round(attempt, planOf(attempt, options, begunAt), rule)
  }

  start(): void {
    const { waitUntil } = this.#attempt.subject
    const { signal } = this.#options
    this.#finish = waitUntil && deferred(waitUntil)
    if (signal)
      this.#stopListening = onAbort(signal, () =>
        this.#guard(() => this.#abort(this.#elapsed(true))),
      )
    // A user callback may already have aborted the signal.
    if (signal?.aborted) this.#abort(0)
    else this.#proceed(0)
  }

  /** Handles an event. Catches errors of callbacks here, because no caller above could. */
  #guard(handle: () => void): void {
    try {
      handle()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Rejects the call with this error, and releases all grants. */
  #fail(error: unknown): void {
    this.#reject(error)
    try {
      this.#abort(this.#elapsed(true))
    } catch {
      // The callback threw again, and the caller already has the first error.
    }
  }

  #abort(now: number): void {
    this.#perform(this.#round.abort(now), now)
    this.#setTimer(now)
  }

  #proceed(now: number, age?: number, isTimer?: boolean): void {
    // The timer is overdue, so answers that arrived in time may still be unread. They are judged as of just before the
    // timer was due. Whatever was due at that moment is left to the timer, because it may now be too late to ask a node
    // again.
    const isStalled = !isTimer && now > this.#ringsAt + maxLate
    const judgedAt = isStalled ? this.#ringsAt - 2 * minDelay : now
    this.#perform(this.#round.proceed(now, age, isTimer, judgedAt), now)
    this.#setTimer(now)
  }

  /** Performs all effects, even if a callback throws in one of them, because later effects may be releases. */
  #perform(effects: readonly Effect[], now: number): void {
    // Fast path: there are nearly always no effects.
    if (!effects.length) return
    let failure: { readonly error: unknown } | undefined
    for (const effect of effects) {
      try {
        this.#performOne(effect, now)
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure) throw failure.error
  }

  #performOne(effect: Effect, now: number): void {
    const attempt = this.#attempt
    switch (effect.type) {
      case 'send':
        return this.#send(effect.ranks, effect.choice)
      case 'cancel':
        return this.#controllers[effect.rank]!.abort()
      case 'release':
        return this.#release(effect.ranks)
      case 'report':
        return this.#report(effect.rank, effect.answer, now)
      case 'duplicate':
        return reportDuplicate(attempt.subject, effect.answer, effect.twin)
      case 'overdue':
        return noteOverdue(this.#client, effect.rank)
      case 'done':
        return this.#end(effect.outcome)
    }
  }

  #release(ranks: readonly number[]): void {
    const round = { operation: releasing, rule: releaseRule, order: ranks }
    // The round rejects only if a callback throws, and no caller awaits it.
    runRound(this.#attempt, round).catch(() => {})
  }

  #send(ranks: readonly number[], choice: Choice | undefined): void {
    const attempt = this.#attempt
    const client = this.#client
    const { answers, plan } = this.#round
    const { isAllOrNothing, operation, ttl } = plan
    const { counter = isAllOrNothing ? counterOf(answers, client.clock) : 0 } = this.#options
    const terms = { ttl, minCounter: Math.floor(counter) }
    const command = operation.make(aboutKeysOf(attempt), terms, choice)
    const send = senderOf(attempt, operation, command, () => this.#round.requestsToCome)
    const controller = new AbortController()
    const monotonic = client.clock.monotonic()
    const onAnswer = (rank: number, answer: Answer): void => {
      // Avoids `#guard`, which would need another closure for each answer.
      try {
        this.#receive(rank, answer)
      } catch (error) {
        this.#fail(error)
      }
    }
    for (const rank of ranks) {
      this.#controllers[rank] = controller
      noteAsked(client, rank, monotonic)
      send(rank, controller.signal, onAnswer)
    }
  }

  #receive(rank: number, answer: Answer): void {
    const round = this.#round
    const { operation, order, concurrency, isAllOrNothing, quorum } = round.plan
    const { requests, askedAt } = round.nodes[rank]!
    // A release that has already asked all nodes does not need the time.
    const now = operation.frees && order.length <= concurrency ? 0 : this.#elapsed(true)
    if (!answer.error && requests === 1 && !operation.frees)
      this.#client.cache.latencies[rank] = now - askedAt
    this.#perform(round.reply(rank, answer, now), now)
    if (!answer.error) this.#finished?.listener?.onLate(rank, answer)
    // The precise stopwatch, which decides the validity of a lock, costs twice as much. It is read only once a quorum
    // has granted.
    const isOpen = isAllOrNothing && round.outcome === undefined
    const mayAcquire = isOpen && tallyOf(round.answers).granted >= quorum
    this.#proceed(now, mayAcquire ? this.#elapsed() : now)
  }

  #report(rank: number, answer: Answer, elapsed: number): void {
    const { subject } = this.#attempt
    if (answer.status === 'timeout') this.#client.cache.roundTrips[rank] = Infinity
    if (this.#options.signal?.aborted) return
    noteHealth(subject, rank, answer, this.#round.plan.operation.frees)
    if (answer.error) subject.emit?.({ type: 'node-error', elapsed, ...reportOf(answer) })
  }

  #end(outcome: Outcome): void {
    const { attempt, plan, nodes, answers } = this.#round
    const { roundTrips } = this.#client.cache
    this.#stopListening?.()
    // The next round should start with nodes that answer.
    if (outcome === 'stalemate')
      for (const rank of plan.order) if (!answers[rank]) roundTrips[rank] = Infinity
    if (outcome === 'aborted') return this.#reject(this.#options.signal?.reason)
    const elapsed = this.#elapsed
    const end = outcome as End | Interruption
    const finished = { attempt, plan, nodes, answers, outcome: end, elapsed, listener: undefined }
    this.#finished = finished
    this.#resolve(finished)
  }

  #setTimer(now: number): void {
    const { plan, wakeAt } = this.#round
    if (wakeAt < this.#ringsAt) {
      this.#stopTimer?.()
      this.#ringsAt = wakeAt
      this.#dueAt = Math.max(wakeAt, now)
      const { clock } = this.#client
      const onTimer = (): void => this.#guard(() => this.#onTimer())
      this.#stopTimer = clock.setTimer(onTimer, Math.max(minDelay, wakeAt - now))
    }
    if (wakeAt === Infinity) {
      this.#stopTimer?.()
      this.#finish?.()
      if (plan.isAllOrNothing) this.#remember()
    }
  }

  #onTimer(): void {
    const now = this.#elapsed(true)
    this.#ringsAt = Infinity
    // Never twice in a row, because on a busy machine every timer may be late.
    this.#isPostponed = now > this.#dueAt + maxLate && !this.#isPostponed
    if (this.#isPostponed) return this.#setTimer(now)
    this.#perform(this.#round.timer(now), now)
    this.#proceed(now, now, true)
  }

  /** Remembers how long a quorum took and which nodes are slow, for the next round. */
  #remember(): void {
    const { nodes, plan } = this.#round
    const { cache, quorum } = this.#client
    cache.took = timeOfQuorum(nodes, quorum) ?? cache.took
    const limit = slowAfter(plan.pace, cache.took)
    for (let rank = 0; rank < nodes.length; rank++) {
      const { roundTrip } = nodes[rank]!
      if (roundTrip < Infinity) cache.roundTrips[rank] = roundTrip > limit ? Infinity : roundTrip
    }
  }
}

/**
 * Runs a round: asks the nodes as its rule decides, accepts answers at any time, and resolves with the outcome. If an
 * all-or-nothing round ends without a lock, it releases everything that nodes may hold: known grants immediately, later
 * grants as they arrive.
 *
 * If the caller aborts, pending requests continue until their timeout, because the nodes may already have received
 * them.
 *
 * @throws the signal's reason.
 */
export const runRound = <End extends Outcome>(
  attempt: Attempt,
  options: RoundOptions<End>,
): Promise<FinishedRound<End>> =>
  new Promise((resolve, reject) => new Driver(attempt, options, resolve, reject).start())
