import { callOf, type Claim, timeoutOf } from './claim.ts'
import { stopwatch } from './clock.ts'
import type { NodeReport } from './errors.ts'
import { type Operation, readReply } from './scripts.ts'

/** By node, in the order of the nodes; undefined where nothing is known yet. */
export type Answers = (NodeReport | undefined)[]

/** `done` resolves once no request is under way any more; it never rejects. */
export type Round = { readonly settled: Promise<void>; readonly done: Promise<void> }

export type RoundOptions = {
  /** Filled in as answers arrive, until the round settles. Those that are in it already count. */
  readonly answers?: Answers
  /** Indexes of the nodes to ask; default: all. */
  readonly asked?: readonly number[]
  /** Ms for the script; default: the ttl of the claim. */
  readonly time?: number
  /** Cancels the round, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether a lost vote may look different with the answers to come: they get some more time. */
  readonly isOpen?: () => boolean
  /** Called for an answer that comes after the round has settled. */
  readonly late?: (answer: NodeReport, index: number) => void
}

/** Whether a quorum of nodes has answered in one of these ways. */
export type Tally = { readonly yes: number; readonly no: number; readonly failed: number }

/** Counts the answers: yes, an answered no, or a failure to answer. */
export const tally = (answers: Answers): Tally => {
  const result = { yes: 0, no: 0, failed: 0 }
  for (const answer of answers) {
    if (answer) result[answer.error ? 'failed' : answer.status === 'granted' ? 'yes' : 'no']++
  }
  return result
}

/**
 * Asks all nodes at once, and settles the moment a quorum has said yes or can do so no more: a node
 * that hangs costs nothing while the others decide.
 *
 * Requests still under way then are left to finish, since what was sent cannot be taken back, and
 * are cancelled at the timeout. That timeout is also a local race, for nodes that cannot cancel.
 */
export const startRound = (
  claim: Claim,
  operation: Operation,
  { answers = [], asked, time, signal, isOpen, late }: RoundOptions,
): Round => {
  const { nodes, quorum, clock } = claim.settings
  const call = callOf(claim, operation, time)
  const timeout = timeoutOf(claim)
  const controller = new AbortController()
  const pending = new Set(asked ?? nodes.keys())
  let settle!: () => void
  let fail!: (reason: unknown) => void
  let finish!: () => void
  const settled = new Promise<void>((resolve, reject) => ([settle, fail] = [resolve, reject]))
  const done = new Promise<void>((resolve) => (finish = resolve))
  const elapsed = stopwatch(clock)
  let open = true
  let stopGrace: (() => void) | undefined

  const close = (): void => {
    open = false
    stopGrace?.()
    signal?.removeEventListener('abort', abort)
    settle()
  }
  const abort = (): void => {
    fail(signal?.reason)
    close()
    controller.abort()
  }
  const arrive = (index: number, answer: NodeReport): void => {
    if (!open) return late?.(answer, index)
    answers[index] = answer
    const { yes, no, failed } = tally(answers)
    if (yes < quorum && no + failed <= nodes.length - quorum) return
    if (yes >= quorum || pending.size === 0 || !isOpen?.()) close()
    else stopGrace ??= clock.setTimer(close, elapsed())
  }
  const ask = async (index: number): Promise<void> => {
    const { name: node, run } = nodes[index]!
    let answer: NodeReport
    try {
      answer = { node, ...readReply(call, await run(call, controller.signal)) }
    } catch (error) {
      answer = { node, status: 'error', error: error as Error }
    }
    pending.delete(index)
    arrive(index, answer)
    if (pending.size === 0) {
      stopTimer()
      finish()
    }
  }
  const stopTimer = clock.setTimer(() => {
    const error = new Error(`no answer within ${timeout} ms`)
    for (const index of pending) {
      if (open) arrive(index, { node: nodes[index]!.name, status: 'timeout', error })
    }
    controller.abort()
    // What cannot be cancelled may stay under way for ever; nobody is to wait for it.
    finish()
  }, timeout)

  signal?.addEventListener('abort', abort)
  for (const index of pending) void ask(index)
  return { settled, done }
}
