import { nodeError } from '../nodes/node.ts'
import { type Operation, readReply } from '../protocol/script.ts'
import type { NodeReport, NodeStatus } from '../reports/errors.ts'
import { onAbort } from '../util/clock.ts'
import { callOf, type Claim, defer, requestTimeoutOf, timeoutOf } from './lease.ts'
import { askIdentity, noteIdentity } from './node-identity.ts'
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
  /** Whether the vote is read without those who take much longer than a quorum of nodes did. */
  readonly isImpatient?: boolean
  /** Called with what a node answers too late to count. */
  readonly onLate?: (status: NodeStatus, index: number) => void
}

// Ms that stragglers are given at least: nodes that are near differ by what their machines are doing.
const leastPatience = 10

/** Whom to ask. A node that has refused every request has nothing to release: that is its answer. */
const queueOf = ({ settings, open }: Claim, operation: Operation, answers: Answers): number[] => {
  const queue: number[] = []
  for (let index = 0; index < open.length; index++) {
    if (operation !== 'r' || open[index]! > 0) queue.push(index)
    else answers[index] = { node: settings.nodes[index]!.name, status: 'absent' }
  }
  return queue
}

/**
 * Asks all nodes at once, or so many at a time, and votes the moment a quorum has said yes or can
 * do so no more: a node that hangs costs nothing while the others decide.
 *
 * Where the vote is still open when a quorum of nodes has answered, the others get about as long
 * again, if the round is impatient: one that hangs or is slow costs a round trip, not a timeout.
 *
 * Requests still under way then are left to finish, also when the caller aborts, since what was sent
 * cannot be taken back and a connection that is being opened is worth having. They are cancelled at
 * their timeout, which is kept here, for nodes that cannot cancel.
 */
export const startRound = (
  claim: Claim,
  operation: Operation,
  options: RoundOptions,
): Promise<Vote> =>
  new Promise((settle, refuse) => {
    const { settings, keys, open, allowance, value } = claim
    const { nodes, clock, emit, concurrency } = settings
    const { answers = [], ttl = claim.ttl, fence = 0, headStart, signal, onLate } = options
    const { decide = voteOf, isImpatient } = options
    const timeout = timeoutOf(settings, ttl)
    const call = callOf(claim, operation, ttl, fence)
    const echo = operation + call.args[1]
    const queue = options.asked ?? queueOf(claim, operation, answers)
    // A release must not overlook those whose turn to be extended has yet to come.
    if (operation === 'e') for (const index of queue) open[index]!++
    // By node: whether its answer is waited for.
    const isWaiting: boolean[] = []
    /** By node: when it was asked, in ms of the step. */
    const askedAt: number[] = []
    const stops: (() => void)[] = []
    let next = 0
    /** How many answers are waited for. */
    let active = 0
    /** The nodes whose requests have not ended. */
    const underWay = new Set<number>()
    let most = headStart ? 1 : concurrency
    let isDecided = false
    let stopListening: (() => void) | undefined
    let stopHurry: (() => void) | undefined
    let end: (() => void) | undefined

    const close = (vote: Vote = 'unknown'): void => {
      isDecided = true
      stopHurry?.()
      stopListening?.()
      settle(vote)
    }

    const take = (index: number, report: NodeReport): void => {
      // Who was given up at the timeout has been counted as that.
      if (!isWaiting[index]) {
        onLate?.(report.status, index)
        return goOn()
      }
      isWaiting[index] = false
      if (report.error && !signal?.aborted) {
        emit?.({ type: 'node-error', keys, elapsed: options.elapsed(), ...report })
      }
      answers[index] = report
      active--
      if (isDecided) onLate?.(report.status, index)
      else {
        const vote = decide(answers, settings)
        if (vote) close(vote)
        else if (isImpatient && !stopHurry) hurry(index)
      }
      most = concurrency
      goOn()
    }
    /** Gives those who have not answered as long again as the quorum-th answer took. */
    const hurry = (index: number): void => {
      let responsive = 0
      for (const answer of answers) if (answer && !answer.error) responsive++
      if (responsive < settings.quorum) return
      const patience = Math.max(leastPatience, options.elapsed() - askedAt[index]!)
      stopHurry = clock.setTimer(close, patience)
    }
    const fail = (index: number, status: NodeStatus, error: Error): void =>
      take(index, { node: nodes[index]!.name, status, error })

    const ask = (index: number, expired: AbortSignal): void => {
      const node = nodes[index]!
      const failed = (error: unknown): void => {
        underWay.delete(index)
        fail(index, 'error', nodeError(error, value, 200))
      }
      const read = (reply: unknown): void => {
        underWay.delete(index)
        const report = readReply(echo, reply, node.name)
        if (report.status === 'error') return take(index, report)
        noteIdentity(settings, index, reply)
        if (operation < 'i' && report.status === 'locked' && !node.resends) open[index]!--
        take(index, report)
      }
      isWaiting[index] = true
      askedAt[index] = options.elapsed()
      active++
      underWay.add(index)
      allowance.left--
      if (operation === 'a') open[index]!++
      try {
        node.run(askIdentity(call, settings, index), expired).then(read, failed)
      } catch (error) {
        // It is to reject, but is of somebody else's make. Not before the others were asked.
        queueMicrotask(() => failed(error))
      }
    }

    /** Asks those whose turn has come, with the same time for all of them; or ends the round. */
    const goOn = (): void => {
      const first = next
      // Who is not needed any more is not asked; but a release is for all.
      if (!isDecided || operation === 'r') next = Math.min(queue.length, next + most - active)
      if (next > first) {
        const asked = queue.slice(first, next)
        const controller = new AbortController()
        const cancel = (): void => {
          controller.abort()
          for (const index of asked) underWay.delete(index)
          goOn()
        }
        const expire = (): void => {
          const error = new Error(`no answer in ${timeout} ms`)
          // Later ones find the connection open.
          const rest = operation === 'a' ? requestTimeoutOf(settings) - timeout : 0
          for (const index of asked) if (isWaiting[index]) fail(index, 'timeout', error)
          if (rest > 0 && underWay.size > 0) stops.push(clock.setTimer(cancel, rest))
          else cancel()
        }
        stops.push(clock.setTimer(expire, timeout))
        for (const index of asked) ask(index, controller.signal)
      }
      if (active > 0) return
      if (!isDecided) close(decide(answers, settings))
      if (underWay.size > 0) return
      for (const stop of stops) stop()
      end?.()
    }

    if (claim.waitUntil) defer(claim.waitUntil, new Promise<void>((resolve) => (end = resolve)))
    if (signal) {
      stopListening = onAbort(signal, () => {
        refuse(signal.reason)
        close()
      })
    }
    if (headStart) {
      const letOthers = (): void => {
        most = concurrency
        goOn()
      }
      stops.push(clock.setTimer(letOthers, headStart))
    }
    goOn()
  })
