import type { Operation, ScriptCall } from '../protocol/script.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { askNode } from './ask-node.ts'
import type { Lease } from './lease.ts'
import type { Answer } from './tally.ts'
import { cancelTimeoutOf } from './validity.ts'

/**
 * Asks several nodes at the same time, with one timeout for all of them. A node that has not answered
 * by then is reported as timed out, and its request is cancelled. That of an acquire is cancelled later,
 * so that its connection has the time to open: its answer is late then.
 *
 * @param onAnswer - Called once for each node in time, and again for each answer that `isLate`.
 * @param onEnd - Called when all requests have ended or were cancelled.
 */
export const askBatch = (
  lease: Lease,
  operation: Operation,
  call: ScriptCall,
  batch: readonly number[],
  timeout: number,
  onAnswer: (index: number, answer: Answer, isLate: boolean) => void,
  onEnd: () => void,
): void => {
  const { client } = lease
  const { nodes, clock } = client
  const controller = new AbortController()
  /** By node: whether it has answered. */
  const hasAnswered: boolean[] = []
  let hasExpired = false
  /** The number of requests that have not ended. */
  let open = batch.length

  const receive = (index: number, answer: Answer): void => {
    hasAnswered[index] = true
    onAnswer(index, answer, hasExpired)
    if (--open !== 0) return
    cancelTimer()
    onEnd()
  }
  const cancel = (): void => {
    open = 0
    controller.abort()
    onEnd()
  }
  const expire = (): void => {
    const isShort = timeout < cancelTimeoutOf(client)
    const why = isShort ? ', half of what the `ttl` allows: a longer one gives nodes more time' : ''
    const error = new RedlockError(`no answer in ${Math.round(timeout)} ms${why}`)
    hasExpired = true
    for (const index of batch) {
      if (hasAnswered[index]) continue
      onAnswer(index, { node: nodes[index]!.name, status: 'timeout', error }, false)
    }
    // An acquire usually opens the connection, so it gets the time for that.
    const rest = operation === 'a' ? cancelTimeoutOf(client) - timeout : 0
    if (rest > 0) cancelTimer = clock.setTimer(cancel, rest)
    else cancel()
  }
  let cancelTimer = clock.setTimer(expire, timeout)
  for (const index of batch) {
    const asking = askNode(lease, operation, call, index, controller.signal)
    void asking.then((answer) => receive(index, answer))
  }
}
