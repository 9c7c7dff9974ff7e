import type { WaitQueues } from '../local/wait-queue.ts'

const queuesByLimit = new WeakMap<WaitQueues, Map<number, WaitQueues>>()

/**
 * The wait queues of the calls with one limit. A call with another limit, or with none, may find the lock
 * free when these find it held, so it must not wait behind them.
 */
export const queuesOfLimit = (queues: WaitQueues, limit: number): WaitQueues => {
  const byLimit = queuesByLimit.get(queues) ?? new Map<number, WaitQueues>()
  queuesByLimit.set(queues, byLimit)
  const own: WaitQueues = byLimit.get(limit) ?? new Map()
  byLimit.set(limit, own)
  return own
}
