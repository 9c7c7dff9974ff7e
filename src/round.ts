import { callOf, type Claim, timeoutOf } from './claim.ts'
import { onAbort, stopwatch } from './clock.ts'
import { askIdentity, noteIdentity } from './distinct.ts'
import type { NodeReport, NodeStatus } from './errors.ts'
import { nodeError } from './nodes/node.ts'
import { type Operation, readReply } from './scripts.ts'
import type { Settings } from './settings.ts'

/** By node, in the order of the nodes; undefined where nothing is known yet. */
export type Answers = (NodeReport | undefined)[]

/** A quorum said yes; so many said no that none can; or so many failed that it cannot be known. */
export type Vote = 'yes' | 'no' | 'unknown'

export type RoundOptions = {
  /** Filled in as answers arrive, also after the vote. */
  readonly answers?: Answers
  /** Indexes of the nodes to ask; default: all. */
  readonly asked?: readonly number[]
  /** Cancels the round: the vote rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Reads the vote out of the answers; undefined to wait for more of them. */
  readonly decide?: typeof voteOf
  /** Called with what a node answers too late to count. */
  readonly onLate?: (status: NodeStatus, index: number) => void
}

/** The answers there are, for reports. */
export const known = (answers: Answers): NodeReport[] => answers.flatMap((answer) => answer ?? [])

/** What the answers decide; undefined while more of them can change it. */
export const voteOf = (answers: Answers, { nodes, quorum }: Settings): Vote | undefined => {
  const spare = nodes.length - quorum
  let [yes, no, failed] = [0, 0, 0]
  for (const answer of known(answers)) {
    if (answer.error) failed++
    else if (answer.status === 'granted') yes++
    else no++
  }
  if (yes >= quorum) return 'yes'
  if (no > spare) return 'no'
  return no + failed > spare ? 'unknown' : undefined
}

/** The answer of a node that gave none in time, and what cancels the requests of those. */
type Deadline = {
  readonly expired: Promise<Omit<NodeReport, 'node'>>
  readonly controller: AbortController
  readonly stop: () => void
}

const startDeadline = (claim: Claim): Deadline => {
  const controller = new AbortController()
  const timeout = timeoutOf(claim)
  let stop!: () => void
  const expired = new Promise<Omit<NodeReport, 'node'>>((resolve) => {
    stop = claim.clock.setTimer(() => {
      resolve({ status: 'timeout', error: new Error(`no answer in ${timeout} ms`) })
      controller.abort()
    }, timeout)
  })
  return { expired, controller, stop }
}

/**
 * Asks all nodes at once, or so many at a time, and votes the moment a quorum has said yes or can
 * do so no more: a node that hangs costs nothing while the others decide.
 *
 * Requests still under way then are left to finish, since what was sent cannot be taken back, and
 * are cancelled at the timeout. That timeout is also a local race, for nodes that cannot cancel.
 */
export const startRound = (
  claim: Claim,
  operation: Operation,
  { answers = [], asked, decide = voteOf, signal, onLate }: RoundOptions = {},
): Promise<Vote> =>
  new Promise((settle, fail) => {
    const { nodes, clock, emit, keys, concurrency } = claim
    const call = callOf(claim, operation)
    const elapsed = stopwatch(clock)
    const deadlines = [startDeadline(claim)]

    let isDecided = false
    const close = (): void => {
      isDecided = true
      stopListening()
      settle(decide(answers, claim) ?? 'unknown')
    }
    const stopListening = onAbort(signal, () => {
      fail(signal?.reason)
      close()
      for (const { controller } of deadlines) controller.abort()
    })

    const reply = async (index: number, signal: AbortSignal): Promise<Omit<NodeReport, 'node'>> => {
      try {
        const asked = askIdentity(call, claim, index)
        const { identity, ...answer } = readReply(asked, await nodes[index]!.run(asked, signal))
        if (identity) noteIdentity(claim, index, identity)
        return answer
      } catch (error) {
        return { status: 'error', error: nodeError(error, claim.value, 200) }
      }
    }
    const ask = async (index: number, { controller, expired }: Deadline): Promise<void> => {
      claim.allowance.left--
      const replying = reply(index, controller.signal)
      const answer = await Promise.race([replying, expired])
      const counts = !isDecided
      const report = { node: nodes[index]!.name, ...answer }
      if (report.error && !signal?.aborted) {
        emit({ type: 'node-error', keys, elapsed: elapsed(), ...report })
      }
      answers[index] = report
      if (counts && decide(answers, claim)) close()
      void replying.then((late) => (counts && late === answer) || onLate?.(late.status, index))
    }

    // One queue, and several who take from it. Who is not needed any more is not asked; but a
    // release is for all.
    const queue = (asked ?? nodes.keys())[Symbol.iterator]()
    const askOn = async (): Promise<void> => {
      let [deadline] = deadlines
      for (const index of queue) {
        if (isDecided && operation !== 'r') break
        // Who had to wait for its turn has as much time as the others.
        if (!deadline) deadlines.push((deadline = startDeadline(claim)))
        await ask(index, deadline)
        deadline = undefined
      }
    }
    const askers = Array.from({ length: Math.min(concurrency, nodes.length) }, askOn)
    const asking = Promise.all(askers)
      .then(() => deadlines.forEach(({ stop }) => stop()))
      .then(close)
    // It did not throw at the door. Should it now, as when the request is long over, the round goes
    // on as far as the runtime lets it.
    try {
      claim.waitUntil(asking)
    } catch {}
  })
