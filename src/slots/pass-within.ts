import type { ThrottleResult } from '../acquire/results.ts'
import type { Client } from '../local/client.ts'
import type { LockEvent } from '../reports/events.ts'
import { sleep, stopwatch } from '../util/clock.ts'

type Rejected = LockEvent & { readonly type: 'rejected' }

/** Ms at random, so that calls that wait for one window do not all ask at the same moment. */
const spread = 50

/**
 * Asks until a call passes. A refused call asks again when it can pass at the earliest, and is refused at
 * once if `wait` ends before that, or if the `budget` allows no other try. The tries are reported as one
 * call.
 *
 * @param wait - Ms.
 * @param pass - Asks once, as a client that reports its events to this function.
 * @throws the signal's reason.
 */
export const passWithin = async (
  client: Client,
  wait: number,
  signal: AbortSignal | undefined,
  pass: (client: Client) => Promise<ThrottleResult>,
): Promise<ThrottleResult> => {
  const { clock, random, nodes, emit } = client
  const elapsed = stopwatch(clock)
  /** The requests of one round and of the release that may follow it. */
  const perTry = 2 * nodes.length
  const isLimited = client.budget < Infinity
  let left = client.budget
  let attempts = 0
  let rejected: Rejected | undefined
  const report = (event: LockEvent): void => {
    if (!('attempts' in event)) return emit?.(event)
    const soFar = { attempts: attempts + event.attempts, elapsed: elapsed() }
    // Only the last refusal is that of the call.
    if (event.type !== 'rejected') return emit?.({ ...event, ...soFar })
    attempts = soFar.attempts
    rejected = { ...event, ...soFar, type: 'rejected' }
  }
  for (let isFirst = true; ; isFirst = false) {
    // A call that may ask again keeps what the next tries need.
    const budget = wait > 0 && isLimited ? perTry : left
    if (isLimited) left -= budget
    const result = await pass({ ...client, budget, emit: emit && report })
    if (result.ok) return result
    const pause = result.retryAfter + random() * spread
    const isOver = left < perTry || pause > wait - elapsed()
    if (rejected && (isOver || isFirst))
      emit?.(isOver ? rejected : { ...rejected, type: 'waiting' })
    if (isOver) return result
    await sleep(clock, pause, signal)
  }
}
