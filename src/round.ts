import { callOf, type Claim, timeoutOf } from './claim.ts'
import { stopwatch } from './clock.ts'
import type { NodeReport, NodeStatus } from './errors.ts'
import { type Operation, readReply } from './scripts.ts'
import type { Settings } from './settings.ts'

/** By node, in the order of the nodes; undefined where nothing is known yet. */
export type Answers = (NodeReport | undefined)[]

/** A quorum said yes; so many said no that none can; or so many failed that it cannot be known. */
export type Vote = 'yes' | 'no' | 'unknown'

/** `done` resolves once no request is under way any more; it never rejects. */
export type Round = { readonly vote: Promise<Vote>; readonly done: Promise<void> }

export type RoundOptions = {
  /** Filled in as answers arrive, until the vote. Those that are in it already count. */
  readonly answers?: Answers
  /** Indexes of the nodes to ask; default: all. */
  readonly asked?: readonly number[]
  /** Ms for the script; default: the ttl of the claim. */
  readonly time?: number
  /** Cancels the round: the vote rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Whether a lost vote may look different with the answers to come: they get some more time. */
  readonly isOpen?: () => boolean
  /** Called with what a node answers too late to count. */
  readonly onLate?: (status: NodeStatus, index: number) => void
}

/** The answers there are, for reports. */
export const known = (answers: Answers): NodeReport[] => answers.flatMap((answer) => answer ?? [])

/** What the answers decide; undefined while more of them can change it. */
export const voteOf = (answers: Answers, { nodes, quorum }: Settings): Vote | undefined => {
  const given = known(answers)
  const yes = given.filter(({ status }) => status === 'granted').length
  const failed = given.filter(({ error }) => error).length
  const spare = nodes.length - quorum
  if (yes >= quorum) return 'yes'
  if (given.length - yes - failed > spare) return 'no'
  return given.length - yes > spare ? 'unknown' : undefined
}

/**
 * Asks all nodes at once, and votes the moment a quorum has said yes or can do so no more: a node
 * that hangs costs nothing while the others decide.
 *
 * Requests still under way then are left to finish, since what was sent cannot be taken back, and
 * are cancelled at the timeout. That timeout is also a local race, for nodes that cannot cancel.
 */
export const startRound = (
  claim: Claim,
  operation: Operation,
  { answers = [], asked, time, signal, isOpen, onLate }: RoundOptions = {},
): Round => {
  const { nodes, clock } = claim.settings
  const call = callOf(claim, operation, time)
  const elapsed = stopwatch(clock)
  const controller = new AbortController()
  let stopTimer!: () => void
  const expired = new Promise<Pick<NodeReport, 'status' | 'error'>>((resolve) => {
    const timeout = timeoutOf(claim)
    stopTimer = clock.setTimer(() => {
      resolve({ status: 'timeout', error: new Error(`no answer within ${timeout} ms`) })
      controller.abort()
    }, timeout)
  })

  let isDecided = false
  let stopGrace: (() => void) | undefined
  let settle!: (vote: Vote) => void
  let fail!: (reason: unknown) => void
  const vote = new Promise<Vote>((resolve, reject) => ([settle, fail] = [resolve, reject]))
  const close = (): void => {
    isDecided = true
    stopGrace?.()
    signal?.removeEventListener('abort', abort)
    settle(voteOf(answers, claim.settings) ?? 'unknown')
  }
  const abort = (): void => {
    fail(signal?.reason)
    close()
    controller.abort()
  }

  const reply = async (index: number): Promise<Omit<NodeReport, 'node'>> => {
    try {
      return readReply(call, await nodes[index]!.run(call, controller.signal))
    } catch (error) {
      return { status: 'error', error: error as Error }
    }
  }
  const ask = async (index: number): Promise<void> => {
    const replying = reply(index)
    const answer = await Promise.race([replying, expired])
    const counts = !isDecided
    if (counts) {
      answers[index] = { node: nodes[index]!.name, ...answer }
      const decided = voteOf(answers, claim.settings)
      if (decided === 'yes' || (decided && !isOpen?.())) close()
      // Long enough for a node that is somewhat slower than those that decided.
      else if (decided) stopGrace ??= clock.setTimer(close, elapsed() * 3)
    }
    void replying.then((late) => (counts && late === answer) || onLate?.(late.status, index))
  }

  signal?.addEventListener('abort', abort)
  const done = Promise.all([...(asked ?? nodes.keys())].map(ask)).then(stopTimer)
  return { vote, done }
}
