import { callOf, type Claim, defer, timeoutOf } from './claim.ts'
import { onAbort } from './clock.ts'
import { askIdentity, noteIdentity } from './distinct.ts'
import type { NodeReport, NodeStatus } from './errors.ts'
import { nodeError } from './nodes/node.ts'
import { type Operation, readReply, type ScriptCall } from './scripts.ts'
import { type Answers, type Vote, voteOf } from './vote.ts'

export type RoundOptions = {
  /** Reads the ms since the step began that this round is part of. */
  readonly elapsed: () => number
  /** Ms for which the nodes are to hold it; default: the ttl of the claim. */
  readonly ttl?: number
  /** What the fence counters are to reach where it is granted. */
  readonly fence?: number
  /** Filled in as answers arrive, also after the vote. */
  readonly answers?: Answers
  /** Indexes of the nodes to ask; default: all, for a release those that may hold the claim. */
  readonly asked?: readonly number[] | undefined
  /** Ms for which the first of them is asked alone, unless it answers sooner. */
  readonly headStart?: number
  /** Cancels the round: the vote rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Reads the vote out of the answers; undefined to wait for more of them. */
  readonly decide?: typeof voteOf
  /** Called with what a node answers too late to count. */
  readonly onLate?: (status: NodeStatus, index: number) => void
}

/** Whom to ask. A node that has refused every request has nothing to release: that is its answer. */
const queueOf = ({ settings, open }: Claim, operation: Operation, answers: Answers): number[] => {
  const queue: number[] = []
  for (let index = 0; index < open.length; index++) {
    if (operation !== 'r' || open[index]! > 0) queue.push(index)
    else answers[index] = { node: settings.nodes[index]!.name, status: 'absent' }
  }
  return queue
}

/** A round under way. One object, since it is made for each step of each lock. */
class Round {
  readonly claim: Claim
  readonly operation: Operation
  readonly options: RoundOptions
  readonly settle: (vote: Vote) => void
  readonly answers: Answers
  readonly call: ScriptCall
  /** What a reply begins with. */
  readonly echo: string
  readonly queue: readonly number[]
  /** By node: whether its answer is waited for. */
  readonly isWaiting: boolean[] = []
  readonly controllers: AbortController[] = []
  readonly stops: (() => void)[] = []
  next = 0
  active = 0
  most: number
  isDecided = false
  stopListening: (() => void) | undefined
  end: (() => void) | undefined

  constructor(
    claim: Claim,
    operation: Operation,
    options: RoundOptions,
    settle: (vote: Vote) => void,
  ) {
    const { ttl = claim.ttl, fence = 0, answers = [], asked, headStart } = options
    this.claim = claim
    this.operation = operation
    this.options = options
    this.settle = settle
    this.answers = answers
    this.call = callOf(claim, operation, ttl, fence)
    this.echo = operation + this.call.args[1]
    this.queue = asked ?? queueOf(claim, operation, answers)
    this.most = headStart ? 1 : claim.settings.concurrency
  }

  start(refuse: (reason: unknown) => void): void {
    const { claim, stops, options } = this
    const { signal, headStart } = options
    const { clock, concurrency } = claim.settings
    if (claim.waitUntil) {
      defer(claim.waitUntil, new Promise<void>((resolve) => (this.end = resolve)))
    }
    if (signal) {
      const onAborted = (): void => {
        refuse(signal.reason)
        this.close(undefined)
        for (const controller of this.controllers) controller.abort()
      }
      this.stopListening = onAbort(signal, onAborted)
    }
    if (headStart) {
      const letOthers = (): void => {
        this.most = concurrency
        this.goOn()
      }
      stops.push(clock.setTimer(letOthers, headStart))
    }
    this.goOn()
  }

  close(vote: Vote | undefined): void {
    this.isDecided = true
    this.stopListening?.()
    this.settle(vote ?? 'unknown')
  }

  /** Asks those whose turn has come, or ends the round. */
  goOn(): void {
    const { queue, claim, options } = this
    // Who is not needed any more is not asked; but a release is for all.
    const isOver = this.isDecided && this.operation !== 'r'
    const last = isOver ? 0 : Math.min(queue.length, this.next + this.most - this.active)
    if (this.next < last) {
      const asked = queue.slice(this.next, last)
      this.next = last
      const signal = this.startWave(asked)
      for (const index of asked) this.ask(index, signal)
    }
    if (this.active > 0) return
    for (const stop of this.stops) stop()
    if (!this.isDecided) this.close((options.decide ?? voteOf)(this.answers, claim.settings))
    this.end?.()
  }

  /** Gives those who are asked together the same time to answer. */
  startWave(asked: readonly number[]): AbortSignal {
    const { claim, options } = this
    const timeout = timeoutOf(claim.settings, options.ttl ?? claim.ttl)
    const controller = new AbortController()
    const expire = (): void => {
      const error = new Error(`no answer in ${timeout} ms`)
      for (const index of asked) {
        if (this.isWaiting[index]) this.fail(index, 'timeout', error)
      }
      controller.abort()
    }
    this.controllers.push(controller)
    this.stops.push(claim.settings.clock.setTimer(expire, timeout))
    return controller.signal
  }

  ask(index: number, signal: AbortSignal): void {
    const { settings, open, allowance, value } = this.claim
    this.isWaiting[index] = true
    this.active++
    allowance.left--
    if (this.operation < 'i') open[index]!++
    const failed = (error: unknown): void => this.fail(index, 'error', nodeError(error, value, 200))
    try {
      settings.nodes[index]!.run(askIdentity(this.call, settings, index), signal).then(
        (reply) => this.read(index, reply),
        failed,
      )
    } catch (error) {
      // It is to reject, but is of somebody else's make. Not before the others were asked.
      queueMicrotask(() => failed(error))
    }
  }

  read(index: number, reply: unknown): void {
    const { settings, open } = this.claim
    const { name, resends } = settings.nodes[index]!
    let report: NodeReport
    try {
      report = readReply(this.echo, reply, name)
    } catch (error) {
      return this.fail(index, 'error', error as Error)
    }
    noteIdentity(settings, index, reply)
    if (this.operation < 'i' && report.status === 'locked' && !resends) open[index]!--
    this.take(index, report)
  }

  fail(index: number, status: NodeStatus, error: Error): void {
    this.take(index, { node: this.claim.settings.nodes[index]!.name, status, error })
  }

  take(index: number, report: NodeReport): void {
    const { settings, keys } = this.claim
    const { onLate, signal, elapsed, decide = voteOf } = this.options
    // Who was given up at the timeout has been counted as that.
    if (!this.isWaiting[index]) return onLate?.(report.status, index)
    this.isWaiting[index] = false
    if (report.error && !signal?.aborted) {
      settings.emit?.({ type: 'node-error', keys, elapsed: elapsed(), ...report })
    }
    this.answers[index] = report
    this.active--
    if (this.isDecided) onLate?.(report.status, index)
    else {
      const vote = decide(this.answers, settings)
      if (vote) this.close(vote)
    }
    this.most = settings.concurrency
    this.goOn()
  }
}

/**
 * Asks all nodes at once, or so many at a time, and votes the moment a quorum has said yes or can
 * do so no more: a node that hangs costs nothing while the others decide.
 *
 * Requests still under way then are left to finish, since what was sent cannot be taken back, and
 * are cancelled at the timeout. That timeout is kept here, for nodes that cannot cancel.
 */
export const startRound = (
  claim: Claim,
  operation: Operation,
  options: RoundOptions,
): Promise<Vote> =>
  new Promise((settle, refuse) => new Round(claim, operation, options, settle).start(refuse))
