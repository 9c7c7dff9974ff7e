import type { Operation, ScriptCall } from '../protocol/script.ts'
import { onAbort } from '../util/clock.ts'
import { defer } from '../util/defer.ts'
import { askBatch } from './ask-batch.ts'
import { enterAnswer } from './distinct-servers.ts'
import type { Lease } from './lease.ts'
import { warnOfNode } from './node-warnings.ts'
import { scriptCall } from './script-call.ts'
import { noteTook, type Took } from './slow-nodes.ts'
import { type Answer, type Answers, noAnswers, reportOf, responsive } from './tally.ts'
import { answerTimeoutOf } from './validity.ts'

/** The decision of a round, as far as the answers allow one. */
type Reading = { readonly isFinal: boolean }

export type RoundOptions<Result extends Reading> = {
  /** Reads the answers after each that arrives. The round settles once the result is final. */
  readonly read: (answers: Answers) => Result
  /** Reads the ms since the attempt, the extension or the release began. */
  readonly elapsed: () => number
  /** Ms for which the nodes are to hold the lease. Default: its ttl. */
  readonly ttl?: number
  /** The fence counter that nodes which grant are to reach. */
  readonly fence?: number
  /** The call of another script than that of locks. */
  readonly call?: ScriptCall
  /** Filled in as answers arrive, also after the round has settled. */
  readonly answers?: Answers
  /** The indexes of the nodes to ask. Default: all; for a release those that may hold the lease. */
  readonly asked?: readonly number[] | undefined
  /** Whether the first of these is asked alone, until it has answered or had its turn. */
  readonly isProbe?: boolean | undefined
  /** Ms after which nodes that have not answered pass their turn to the next. */
  readonly turn?: number | undefined
  /** Whether to read the answers without nodes that take much longer than a quorum did. */
  readonly skipsSlow?: boolean
  /** Ms that slow nodes get in any case. */
  readonly minWait?: number | undefined
  /** Ms after which the round settles with the answers that it has. */
  readonly settleAfter?: number
  /** Rejects the round with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called with each answer that arrives in time, also after the round has settled. */
  readonly onAnswer?: () => void
  /** Called with an answer that arrives too late to count in this round. */
  readonly onLate?: ((index: number, answer: Answer) => void) | undefined
}

/** The result of a round. */
export type RoundResult<Result> = {
  readonly reading: Result
  /** When the last node was asked, by `elapsed`. */
  readonly askedAt: number
  /** The ms that a quorum took to answer, or as many nodes as answered. */
  readonly took: number
}

// Once a quorum has answered, the other nodes get this many times as long as lay between its first answer
// and its last: enough for nodes that are about equally far, and for nodes in several regions.
const spreadFactor = 1.5

// The minimum of that time, in ms: even near nodes differ, by the load of their machines.
const minSpread = 5

// The default of `turn`, in ms.
const maxTurn = 250

/** The nodes to ask. A release skips nodes that cannot hold the lease, and enters `absent` for them. */
const queueNodes = (
  { client, possibleGrants }: Lease,
  operation: Operation,
  answers: Answers,
): number[] => {
  const queue: number[] = []
  for (let index = 0; index < possibleGrants.length; index++) {
    if (operation !== 'r' || possibleGrants[index]! > 0) queue.push(index)
    else answers[index] = { node: client.nodes[index]!.name, status: 'absent' }
  }
  return queue
}

/** The nodes in the order in which to ask them: slow ones must not take the turns of the others. */
const slowLast = (queue: readonly number[], slow: readonly boolean[]): readonly number[] =>
  slow.includes(true)
    ? [...queue.filter((index) => !slow[index]), ...queue.filter((index) => slow[index])]
    : queue

/**
 * Asks the nodes, all at once or `concurrency` at a time, and settles the moment the result is final: a
 * node that hangs costs nothing while the others decide.
 *
 * With `skipsSlow`, the round also settles without the nodes that take much longer than the others. So a
 * node that hangs or is slow costs about a round trip, and not a timeout.
 *
 * A request that is still under way when the round settles is left to finish, also when the caller
 * aborts: the node may have received it, and its connection may just be opening. It is cancelled at
 * its timeout.
 *
 * @throws the signal's reason.
 */
export const startRound = <Result extends Reading>(
  lease: Lease,
  operation: Operation,
  options: RoundOptions<Result>,
): Promise<RoundResult<Result>> =>
  new Promise((resolve, reject) => {
    const { client, keys, possibleGrants, requests } = lease
    const { nodes, quorum, clock, emit, concurrency } = client
    const { slow } = client.cache
    const { read, elapsed, answers = noAnswers(nodes), ttl = lease.ttl, fence = 0 } = options
    const {
      isProbe,
      turn = maxTurn,
      skipsSlow,
      minWait = 0,
      settleAfter = Infinity,
      signal,
      onAnswer,
      onLate,
    } = options
    const timeout = answerTimeoutOf(client, ttl)
    const { call = scriptCall(lease, operation, ttl, fence) } = options
    const wanted = options.asked ?? queueNodes(lease, operation, answers)
    const queue = isProbe
      ? [wanted[0]!, ...slowLast(wanted.slice(1), slow)]
      : slowLast(wanted, slow)
    // Counted now, so that a release also reaches nodes whose turn to be extended has yet to come.
    if (operation === 'e') for (const index of queue) possibleGrants[index]!++
    // Counted now, so that no other round takes the requests of nodes whose turn has yet to come.
    requests.left -= queue.length
    /** By node: when it was asked, by `elapsed`. */
    const askedAt: number[] = []
    /** The ms that the answers took, in ascending order. */
    const times: Took[] = []
    let position = 0
    let awaited = 0
    /** How many answers are awaited at the same time. */
    let limit = isProbe ? 1 : concurrency
    let openBatches = 0
    /** Ms that the first answer took, the last one, and the answer that made a quorum. */
    let fastest = Infinity
    let latest: number | undefined
    let quorumTook: number | undefined
    let hasSettled = false
    let stopListening: (() => void) | undefined
    let stopLimit: (() => void) | undefined
    let stopPatience: (() => void) | undefined
    let stopTurn: (() => void) | undefined
    let finish: (() => void) | undefined

    /** Nobody else could catch an error of a callback. */
    const guarded =
      <Args extends readonly unknown[]>(run: (...args: Args) => void) =>
      (...args: Args): void => {
        try {
          run(...args)
        } catch (error) {
          hasSettled = true
          reject(error)
        }
      }

    const settle = guarded((): void => {
      hasSettled = true
      // After the result no more nodes are asked, but a release is for all of them.
      if (operation !== 'r') requests.left += queue.length - position
      stopLimit?.()
      stopPatience?.()
      stopListening?.()
      const begun = askedAt[queue[0]!] ?? elapsed()
      const took = quorumTook ?? latest ?? elapsed() - begun
      resolve({ reading: read(answers), askedAt: askedAt[queue[position - 1]!] ?? begun, took })
    })

    /** Limits the wait for the others once a quorum has answered, and the last node has been asked. */
    const limitWait = (): void => {
      if (!skipsSlow || quorumTook === undefined || position < queue.length) return
      if (hasSettled || stopPatience) return
      const spread = Math.max(spreadFactor * (quorumTook - fastest), quorumTook / 2, minSpread)
      // Counted from the moment that the last node was asked.
      const left = askedAt[queue.at(-1)!]! + Math.max(quorumTook + spread, minWait) - elapsed()
      stopPatience = clock.setTimer(settle, Math.max(left, minSpread))
    }

    /** Notes how long the nodes take to answer. */
    const noteTime = (index: number): void => {
      latest = elapsed() - askedAt[index]!
      fastest = Math.min(fastest, latest)
      if (responsive(answers) >= quorum) quorumTook ??= latest
      noteTook(client, times, index, latest)
    }

    const receive = guarded((index: number, answer: Answer, isLate: boolean): void => {
      if (isLate) return onLate?.(index, answer)
      awaited--
      limit = Math.max(limit, concurrency)
      const { status, error } = answer
      if (!signal?.aborted) {
        warnOfNode(client, answer, timeout)
        if (error) emit?.({ type: 'node-error', keys, elapsed: elapsed(), ...reportOf(answer) })
      }
      enterAnswer(client, keys, answers, index, answer)
      if (status === 'timeout') slow[index] = true
      if (!error) noteTime(index)
      onAnswer?.()
      if (hasSettled) onLate?.(index, answer)
      else if (read(answers).isFinal) settle()
      goOn()
    })

    /** Asks the next nodes too, although earlier ones have not answered. */
    const passTurn = (): void => {
      for (const index of queue.slice(0, position)) if (!answers[index]) slow[index] = true
      limit = concurrency + awaited
      goOn()
    }

    const ask = (batch: readonly number[]): void => {
      const now = elapsed()
      for (const index of batch) askedAt[index] = now
      awaited += batch.length
      openBatches++
      stopTurn?.()
      if (position < queue.length) {
        stopTurn = clock.setTimer(passTurn, Math.min(turn, timeout / 4))
      }
      askBatch(lease, operation, call, batch, timeout, receive, () => {
        openBatches--
        goOn()
      })
    }

    /** Asks the nodes whose turn has come, or ends the round. */
    const goOn = (): void => {
      const first = position
      if (!hasSettled || operation === 'r') {
        position = Math.min(queue.length, position + limit - awaited)
      }
      if (position > first) ask(queue.slice(first, position))
      if (awaited > 0) return limitWait()
      if (!hasSettled) settle()
      if (openBatches > 0) return
      stopTurn?.()
      finish?.()
    }

    if (lease.waitUntil) {
      defer(lease.waitUntil, new Promise<void>((done) => (finish = done)))
    }
    if (signal) {
      stopListening = onAbort(signal, () => {
        reject(signal.reason)
        settle()
      })
    }
    if (settleAfter < Infinity) stopLimit = clock.setTimer(settle, settleAfter)
    goOn()
  })
