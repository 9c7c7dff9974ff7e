import type { Clock } from '../util/clock.ts'
import { stopwatch } from '../util/clock.ts'
import type { Refusal } from '../reports/results.ts'

/** A call of this process that waits for a lock. */
export type Waiter = {
  readonly queue: WaitQueue
  /** Whether the lock may have come free since the waiter last asked the nodes. */
  isNotified: boolean
  /** Ends the sleep before the next try, if there is one. */
  wake: (() => void) | undefined
}

/** A refusal as the nodes gave it, which the waiters of a queue share. */
export type News = {
  /** The waiter that received it; undefined for a call in no queue. */
  readonly by: Waiter | undefined
  readonly refusal: Refusal
  /** The ms that a quorum of nodes took to answer. */
  readonly took: number
  /** Reads how many ms ago it was received. */
  readonly age: () => number
}

/** The waiters for the same keys, in order of arrival, and what they have learned. */
export type WaitQueue = {
  readonly id: string
  readonly waiters: Waiter[]
  /** The last refusal that one of them received. */
  news?: News
  /** Reads the ms since one of them last asked all nodes. */
  askedAll?: () => number
}

/**
 * The wait queues of this process, by their keys: first come, first served. Only the head of a queue
 * asks the nodes, so one process is one contender. A holder is in no queue.
 */
export type WaitQueues = Map<string, WaitQueue>

// Ms for which the news of another waiter is as good as an answer of one's own.
const maxAge = 50

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

/** Whether the lock may have come free since the waiter last asked. The next call of this returns false. */
export const takeNotice = (waiter: Waiter): boolean => {
  const { isNotified } = waiter
  waiter.isNotified = false
  return isNotified
}

/**
 * The news of the queue, if it arrived within the last `age` ms. A call passes the time since it began:
 * what it did not wait for may be older than an outage.
 */
export const newsOf = ({ queue }: Waiter, age: number): News | undefined =>
  queue.news && queue.news.age() <= age ? queue.news : undefined

/** Notes a refusal, and shares it with the other waiters of the queue. */
export const shareNews = (
  by: Waiter | undefined,
  refusal: Refusal,
  took: number,
  clock: Clock,
): News => {
  const news = { by, refusal, took, age: stopwatch(clock) }
  if (by) by.queue.news = news
  return news
}

/** Whether a waiter may give up because of the news, without asking the nodes itself. */
export const isFresh = (news: News | undefined): boolean =>
  news !== undefined && news.age() <= maxAge

/** The refusal of the news as it is now: its time to retry counts down. */
export const currentRefusal = ({ refusal, age }: News): Refusal => ({
  ...refusal,
  retryAfter: Math.max(1, refusal.retryAfter - age()),
})

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
  const [head] = waiters
  if (!head) queues.delete(id)
  else if (waiter.isNotified) notify(head)
  // From now on it asks the nodes.
  else if (!index) head.wake?.()
}

/** Tells the head of the queue for these keys that the lock may have come free. */
export const notifyHead = (queues: WaitQueues, keys: readonly string[]): void => {
  if (queues.size > 0) notify(queues.get(idOf(keys))?.waiters[0])
}
