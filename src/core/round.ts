import type { Client } from './process/client.ts'
import { isLeftAlone, overdueAfter } from './process/isolate-cache.ts'
import { slowAfter } from './process/pace.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { invariant } from '../util/validate.ts'
import type { Attempt } from './attempt.ts'
import { enterAnswer } from './distinct-servers.ts'
import type { Outcome } from './outcome.ts'
import { type Answer, isTaken, tallyOf } from './quorum.ts'
import type { Choice, NodeProgress, Plan, RoundView, Rule } from './rule.ts'

// One round over the nodes, as a state machine without clocks, timers, promises or requests. Each event returns
// effects, which the driver (drive.ts) performs in order. After each reply and each timer, the driver calls `proceed`.
// So every answer is reported before the round acts on it.

export type Effect =
  /** Send the command to these nodes. */
  | {
      readonly type: 'send'
      readonly ranks: readonly number[]
      readonly choice: Choice | undefined
    }
  /** Cancel the request to this node. Its answer may still arrive. */
  | { readonly type: 'cancel'; readonly rank: number }
  /** Release whatever these nodes may hold for the attempt. */
  | { readonly type: 'release'; readonly ranks: readonly number[] }
  /** Report an answer that shows that the node is down, or up again. */
  | { readonly type: 'report'; readonly rank: number; readonly answer: Answer }
  /** Report that the answer does not count. `twin`: the other node that leads to the same server. */
  | { readonly type: 'duplicate'; readonly answer: Answer; readonly twin: string }
  /** Note that the request to this node is overdue. */
  | { readonly type: 'overdue'; readonly rank: number }
  /** Return the outcome to the caller. The round continues while nodes have yet to answer or be released. */
  | { readonly type: 'done'; readonly outcome: Outcome }

const hasTimedOut = (answer: Answer | undefined): boolean => answer?.status === 'timeout'

// Every field is set, so that all objects share one hidden class in V8.
const newProgress = (): NodeProgress => ({
  requests: 0,
  firstAskedAt: 0,
  askedAt: 0,
  isInFlight: false,
  isOverdue: false,
  choice: undefined,
  roundTrip: Infinity,
})

/** One round. Times are in ms since it began. */
export class Round implements RoundView {
  readonly attempt: Attempt
  readonly plan: Plan
  readonly nodes: readonly NodeProgress[]
  readonly answers: (Answer | undefined)[]
  outcome: Outcome | undefined
  /** When `timer` is due; Infinity if the round is over or has not begun. */
  wakeAt: number = Infinity
  readonly #rule: Rule<Outcome>
  readonly #client: Client
  readonly #mayHold: number[]
  /** The number of requests reserved for releases by this round. */
  #reserved = 0
  /** The number of requests that were counted at the start of the round but have yet to be sent. */
  #unsent = 0
  /** The time after which a request is overdue, in ms. */
  readonly #overdue: number
  #effects: Effect[] = []
  /** The age of the round at the last event. */
  #age = 0
  /** The nodes that were left alone, and the time to ask them after all because the other nodes are slow. */
  #leftAlone: number[] = []
  #recallAt = Infinity

  constructor(attempt: Attempt, plan: Plan, rule: Rule<Outcome>) {
    this.attempt = attempt
    this.plan = plan
    this.#rule = rule
    const { mayHold, subject } = attempt
    const { budget, client } = subject
    this.#client = client
    this.#mayHold = mayHold
    this.#overdue = Math.min(overdueAfter, plan.timeout)
    this.nodes = client.ranks.map(newProgress)
    this.answers = client.ranks.map(() => undefined)
    // All requests are counted now, so that other rounds cannot use up the ones that this round sends later.
    if (!plan.isAllOrNothing) {
      this.#unsent = plan.order.length
      budget.take(this.#unsent)
    }
    // An extension can restore a lost key, so from now on a release must also reach nodes that have yet to be asked.
    if (plan.operation.restores) for (const rank of plan.order) mayHold[rank]!++
  }

  /** Handles a node's answer or failure. */
  reply(rank: number, answer: Answer, now: number): readonly Effect[] {
    const node = this.nodes[rank]!
    node.isInFlight = false
    if (isTaken(answer)) this.#noteRejection(rank, answer)
    if (!answer.error && node.requests === 1) node.roundTrip = now - node.askedAt
    // An answer after the timeout still shows what the node holds. An error after the timeout is only the result of the
    // cancellation.
    if (!answer.error || !hasTimedOut(this.answers[rank])) this.#enter(rank, answer)
    if (this.#isLost) this.#release([rank], answer.status === 'granted')
    return this.#take()
  }

  /** Handles the timer set for `wakeAt`: nodes that have not answered in time count as failed. */
  timer(now: number): readonly Effect[] {
    const { cancelAfter, timeout } = this.plan
    for (let rank = 0; rank < this.nodes.length; rank++) {
      const node = this.nodes[rank]!
      if (!node.isInFlight) continue
      if (!node.isOverdue && now >= node.askedAt + this.#overdue) {
        node.isOverdue = true
        this.#effects.push({ type: 'overdue', rank })
      }
      if (now >= node.askedAt + timeout && !hasTimedOut(this.answers[rank])) this.#timeOut(rank)
      if (now < node.askedAt + cancelAfter) continue
      node.isInFlight = false
      this.#effects.push({ type: 'cancel', rank })
    }
    return this.#take()
  }

  /**
   * Decides what follows the last event, and sets `wakeAt`.
   *
   * @param age - The age of the round, measured by the clocks that decide the validity of a lock. Required once a
   *   quorum has granted.
   * @param isTimer - Whether the event was the timer. Only the timer ends a round at its deadline, so every answer that
   *   has arrived by then counts, however busy the process is.
   * @param judgedAt - The time at which the rule decides. It is before `now` if the process was paused and still has
   *   answers to read.
   */
  proceed(
    now: number,
    age: number = now,
    isTimer: boolean = false,
    judgedAt: number = now,
  ): readonly Effect[] {
    this.#age = age
    let until = this.#step(judgedAt, now)
    if (isTimer && now >= this.plan.deadline) {
      this.#end('timeout')
      until = this.#step(now, now)
    }
    this.wakeAt = this.#timeOf(until)
    if (this.wakeAt === Infinity) this.#giveBack()
    return this.#take()
  }

  /** Handles an abort: the caller no longer needs the outcome. */
  abort(now: number): readonly Effect[] {
    this.#end('aborted')
    return this.proceed(now)
  }

  /** Whether grants must be released. */
  get #isLost(): boolean {
    return this.plan.isAllOrNothing && this.outcome !== undefined && this.outcome !== 'acquired'
  }

  #take(): readonly Effect[] {
    const effects = this.#effects
    if (effects.length) this.#effects = []
    return effects
  }

  /** Applies the rule until it has nothing to do but wait. @returns when to apply it again. */
  #step(judgedAt: number, now: number): number {
    // The loop also runs after an acquire: a round that has acquired a slot still makes nodes give up other slots.
    while (!this.#isLost) {
      const step = this.#rule(this, judgedAt)
      if ('send' in step) this.#send(step.send, now)
      else if (this.#mustRecall('done' in step ? step.isUndecided : judgedAt >= this.#recallAt))
        this.#recall(now)
      else if ('wakeAt' in step) return step.wakeAt
      else {
        this.#end(step.done)
        break
      }
    }
    return Infinity
  }

  /** When the timer is due: at `until`, or at the first time limit, whichever comes first. */
  #timeOf(until: number): number {
    const { timeout, cancelAfter, deadline } = this.plan
    const isOpen = this.outcome === undefined
    let wakeAt = isOpen ? Math.min(until, deadline, this.#recallAt) : until
    for (let rank = 0; rank < this.nodes.length; rank++) {
      const { askedAt, isInFlight, isOverdue } = this.nodes[rank]!
      if (!isInFlight) continue
      const limit = hasTimedOut(this.answers[rank]) ? cancelAfter : timeout
      wakeAt = Math.min(wakeAt, askedAt + (isOverdue ? limit : this.#overdue))
    }
    return wakeAt
  }

  #send(ranks: readonly number[], now: number, mayLeave: boolean = true): void {
    const { plan } = this
    const { isAllOrNothing, operation } = plan
    const choice = operation.choose?.(this, ranks)
    const mayLeaveAny = mayLeave && !operation.frees
    const asked: number[] = []
    for (const rank of ranks) {
      const node = this.nodes[rank]!
      const isFirst = node.requests++ === 0
      if (isFirst) node.firstAskedAt = now
      node.askedAt = now
      node.isOverdue = false
      node.choice = choice
      // Recalled nodes are never left alone again in the same round.
      if (mayLeaveAny && isFirst && isLeftAlone(this.#client, rank, plan.begunAt + now)) {
        this.#leaveAlone(rank, now)
        continue
      }
      if (operation.locks) this.#mayHold[rank]!++
      node.isInFlight = true
      asked.push(rank)
    }
    if (!asked.length) return
    this.#effects.push({ type: 'send', ranks: asked, choice })
    if (isAllOrNothing) this.#count(asked.length)
    else this.#unsent -= asked.length
  }

  /**
   * The number of requests that the round has yet to count: for each node not asked yet, one to ask and one to release.
   */
  get requestsToCome(): number {
    const { isAllOrNothing, order } = this.plan
    if (!isAllOrNothing || this.outcome !== undefined) return 0
    return 2 * order.filter((rank) => !this.nodes[rank]!.requests).length
  }

  /** Returns to the budget the requests that were counted but will never be sent. */
  #giveBack(): void {
    if (this.#unsent > 0) this.attempt.subject.budget.take(-this.#unsent)
    this.#unsent = 0
  }

  /**
   * Counts the requests of an acquire that were sent, and reserves requests to release the nodes that may hold the
   * lock.
   */
  #count(sent: number = 0): void {
    const { budget } = this.attempt.subject
    const { isAllOrNothing } = this.plan
    // Once the lock is acquired, its release no longer belongs to this round.
    const mayRelease = isAllOrNothing && this.outcome !== 'acquired'
    let due = 0
    if (mayRelease) for (const requests of this.#mayHold) due += requests
    if (sent) budget.take(sent)
    if (due !== this.#reserved) budget.reserve(due - this.#reserved)
    this.#reserved = due
  }

  /** Counts a node that has not answered for a long time as failed, until the round recalls it. */
  #leaveAlone(rank: number, now: number): void {
    const { pace, took } = this.plan
    const error = new RedlockError('was skipped because it is not responding')
    this.answers[rank] = { node: this.#nameOf(rank), status: 'error', error }
    this.#leftAlone.push(rank)
    this.#recallAt = Math.min(this.#recallAt, now + slowAfter(pace, took))
  }

  #mustRecall(isDue: boolean | undefined): boolean {
    return isDue === true && this.#leftAlone.length > 0 && this.outcome === undefined
  }

  /** Asks the nodes that were left alone. A round must not fail only because of what this isolate remembers. */
  #recall(now: number): void {
    const recalled = this.#leftAlone
    this.#leftAlone = []
    this.#recallAt = Infinity
    // Other calls may have used up the budget in the meantime.
    const { budget, isAllOrNothing } = this.plan
    if (isAllOrNothing && !budget.affords(recalled.length)) return
    for (const rank of recalled) {
      this.answers[rank] = undefined
      this.nodes[rank]!.requests = 0
    }
    this.#send(recalled, now, false)
  }

  /**
   * Notes that a node holds nothing for a request that it rejected, unless that request may have been delivered twice.
   */
  #noteRejection(rank: number, { isRepeated }: Answer): void {
    const { operation } = this.plan
    const isOnce = !isRepeated && !this.#client.nodes[rank]!.resends
    if (!operation.writes || !isOnce || !this.#mayHold[rank]) return
    this.#mayHold[rank]--
    this.#count()
  }

  #enter(rank: number, answer: Answer): void {
    const { cache, prefix } = this.#client
    // Only these answers can change the health of the node.
    if (answer.error || cache.downSince[rank] !== Infinity)
      this.#effects.push({ type: 'report', rank, answer })
    const twins = enterAnswer(this.answers, rank, answer, prefix)
    if (!twins) return
    // The second answer from one server does not show how long a quorum takes.
    this.nodes[twins.ignored]!.roundTrip = Infinity
    const ignored = this.answers[twins.ignored]!
    this.#effects.push({ type: 'duplicate', answer: ignored, twin: this.#nameOf(twins.counted) })
  }

  #timeOut(rank: number): void {
    const error = new RedlockError(`no answer in ${Math.round(this.plan.timeout)} ms`)
    this.#enter(rank, { node: this.#nameOf(rank), status: 'timeout', error })
    if (this.#isLost) this.#release([rank])
  }

  #nameOf(rank: number): string {
    return this.#client.nodes[rank]!.name
  }

  #end(decided: Outcome): void {
    if (this.outcome !== undefined) return
    const { quorum, validity } = this.plan
    // After the validity, the lock would already have expired.
    const outcome = decided === 'acquired' && this.#age >= validity ? 'unavailable' : decided
    this.outcome = outcome
    if (outcome === 'acquired') {
      invariant(tallyOf(this.answers).granted >= quorum, 'quorum')
      this.#count()
    }
    if (this.#isLost) this.#release(this.#client.ranks)
    this.#effects.push({ type: 'done', outcome })
  }

  /**
   * Releases everything that these nodes may hold, except nodes that have not answered, which may still reject.
   *
   * @param hasGranted - Whether a grant has just arrived, possibly after its release.
   */
  #release(ranks: readonly number[], hasGranted: boolean = false): void {
    const mayHold = this.#mayHold
    const due = ranks.filter((rank) => this.answers[rank] && (hasGranted || mayHold[rank]! > 0))
    if (!due.length) return
    for (const rank of due) mayHold[rank] = 0
    this.#count()
    this.#effects.push({ type: 'release', ranks: due })
  }
}
