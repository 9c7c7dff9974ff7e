import type { Knowledge } from './knowledge.ts'

/** A call of this process that waits for a lock. */
export type Waiter = {
  readonly queue: WaitQueue
  /** Whether the lock may have come free since the waiter last asked the nodes. */
  isNotified: boolean
  /** Ends the sleep before the next try, if there is one. */
  wake: (() => void) | undefined
}

/** The waiters for the same keys, in order of arrival, and what they have learned. */
export type WaitQueue = {
  readonly id: string
  readonly waiters: Waiter[]
  known?: Knowledge
}

/**
 * The wait queues of this process, by their keys: first come, first served. Only the head of a queue
 * asks the nodes, so one process is one contender. A holder is in no queue.
 */
export type WaitQueues = Map<string, WaitQueue>

/** An id for several keys that no single key can be: no key contains half a surrogate pair. */
const idOf = (keys: readonly string[]): string =>
  keys.length > 1 ? `\ud800${JSON.stringify(keys)}` : keys[0]!

const notify = (waiter: Waiter | undefined): void => {
  if (!waiter) return
  waiter.isNotified = true
  waiter.wake?.()
}

/** Appends a waiter to the queue for these keys. */
export const joinQueue = (queues: WaitQueues, keys: readonly string[]): Waiter => {
  const id = idOf(keys)
  let queue = queues.get(id)
  if (!queue) queues.set(id, (queue = { id, waiters: [] }))
  const waiter: Waiter = { queue, isNotified: false, wake: undefined }
  queue.waiters.push(waiter)
  return waiter
}

/** Whether it is the waiter's turn to ask the nodes. */
export const isHead = (waiter: Waiter): boolean => waiter.queue.waiters[0] === waiter

/** Reads and clears the notification that the lock may have come free. */
export const takeNotification = (waiter: Waiter): boolean => {
  const { isNotified } = waiter
  waiter.isNotified = false
  return isNotified
}

/**
 * Removes a waiter. If it was told that the lock may be free and has not asked the nodes since, it
 * leaves that to the next.
 */
export const leaveQueue = (queues: WaitQueues, waiter: Waiter): void => {
  const { id, waiters } = waiter.queue
  const index = waiters.indexOf(waiter)
  // Nearly always the waiter is the head, which `shift` removes without copying the others.
  if (index) waiters.splice(index, 1)
  else waiters.shift()
  const head = waiters[0]
  if (!head) queues.delete(id)
  else if (waiter.isNotified) notify(head)
  // From now on it asks the nodes.
  else if (!index) head.wake?.()
}

/** Tells the head of the queue for these keys that the lock may have come free. */
export const notifyHead = (queues: WaitQueues, keys: readonly string[]): void => {
  if (queues.size > 0) notify(queues.get(idOf(keys))?.waiters[0])
}

/** Tells all of them, who then ask the nodes at once: there is something that is for each. */
export const notifyAll = (queues: WaitQueues, keys: readonly string[]): void =>
  queues.get(idOf(keys))?.waiters.forEach(notify)
