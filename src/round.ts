import { callOf, type Claim, defer, timeoutOf } from './claim.ts'
import { onAbort, stopwatch } from './clock.ts'
import { askIdentity, noteIdentity } from './distinct.ts'
import type { NodeReport, NodeStatus } from './errors.ts'
import { type Operation, readReply } from './scripts.ts'
import { type Answers, type Vote, voteOf } from './vote.ts'

export type RoundOptions = {
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

type Answer = Omit<NodeReport, 'node'>

/** What takes the answers of nodes that were asked together, and have the same time for it. */
type Wave = { readonly waiting: Set<(answer: Answer) => void>; readonly signal: AbortSignal }

/** Whom to release. A node that has refused every request holds nothing: that is its answer. */
const holders = ({ nodes, open }: Claim, answers: Answers): number[] =>
  [...nodes.keys()].filter((index) => {
    if (open[index]! <= 0) answers[index] = { node: nodes[index]!.name, status: 'absent' }
    return open[index]! > 0
  })

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
  { answers = [], asked, headStart, decide = voteOf, signal, onLate }: RoundOptions = {},
): Promise<Vote> =>
  new Promise((settle, fail) => {
    const { nodes, clock, emit, keys, concurrency, open } = claim
    const call = callOf(claim, operation)
    const elapsed = stopwatch(clock)
    const timeout = timeoutOf(claim)
    const isRelease = operation === 'r'
    const queue = asked?.slice() ?? (isRelease ? holders(claim, answers) : [...nodes.keys()])
    const stops: (() => void)[] = []
    const aborts: (() => void)[] = []
    let [active, most] = [0, headStart ? 1 : concurrency]
    let isDecided = false

    const close = (vote: Vote | undefined): void => {
      isDecided = true
      stopListening()
      settle(vote ?? 'unknown')
    }
    const stopListening = onAbort(signal, () => {
      fail(signal?.reason)
      close(undefined)
      for (const abort of aborts) abort()
    })

    const startWave = (): Wave => {
      const controller = new AbortController()
      const waiting: Wave['waiting'] = new Set()
      const expire = (): void => {
        const error = new Error(`no answer in ${timeout} ms`)
        for (const take of waiting) take({ status: 'timeout', error })
        controller.abort()
      }
      stops.push(clock.setTimer(expire, timeout))
      aborts.push(() => controller.abort())
      return { waiting, signal: controller.signal }
    }
    const read = async (index: number, expired: AbortSignal): Promise<Answer> => {
      const node = nodes[index]!
      try {
        const asked = askIdentity(call, claim, index)
        const { identity, ...answer } = readReply(asked, await node.run(asked, expired))
        if (identity) noteIdentity(claim, index, identity)
        if (operation < 'i' && answer.status === 'locked' && !node.resends) open[index]!--
        return answer
      } catch (error) {
        return { status: 'error', error: error as Error }
      }
    }
    const ask = (index: number, { waiting, signal: expired }: Wave): void => {
      const take = (answer: Answer): void => {
        // It was given up at the timeout, and has been counted as that.
        if (!waiting.delete(take)) return onLate?.(answer.status, index)
        const report = { node: nodes[index]!.name, ...answer }
        if (report.error && !signal?.aborted) {
          emit({ type: 'node-error', keys, elapsed: elapsed(), ...report })
        }
        answers[index] = report
        active--
        if (isDecided) onLate?.(report.status, index)
        else {
          const vote = decide(answers, claim)
          if (vote) close(vote)
        }
        most = concurrency
        goOn()
      }
      claim.allowance.left--
      active++
      if (operation < 'i') open[index]!++
      waiting.add(take)
      void read(index, expired).then(take)
    }
    const goOn = (): void => {
      // Who is not needed any more is not asked; but a release is for all.
      const isOver = isDecided && !isRelease
      const wanted = isOver ? [] : queue.splice(0, most - active)
      if (wanted[0] !== undefined) {
        const wave = startWave()
        for (const index of wanted) ask(index, wave)
      }
      if (active > 0) return
      for (const stop of stops) stop()
      if (!isDecided) close(decide(answers, claim))
      end()
    }

    let end!: () => void
    const ended = new Promise<void>((resolve) => (end = resolve))
    if (headStart) {
      stops.push(
        clock.setTimer(() => {
          most = concurrency
          goOn()
        }, headStart),
      )
    }
    goOn()
    defer(claim, ended)
  })
