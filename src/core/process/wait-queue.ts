import type { Rejection } from '../results/results.ts'
import type { Pace } from './pace.ts'

/** The last rejection that a call, or the calls of a queue, received for a lock. */
export type Knowledge = {
  readonly rejection: Rejection
  /** Ms that a quorum of nodes took to answer, if one has. */
  readonly took: number | undefined
  /** The call that was rejected. */
  readonly by: object
  /** Returns the ms since the rejection. */
  readonly age: () => number
  /** Returns the ms since a quorum of nodes last rejected a call. */
  readonly proven: () => number
}

/** The rejection as of now: its time to retry counts down. */
export const currently = ({ rejection, age }: Knowledge): Rejection => ({
  ...rejection,
  retryAfter: Math.max(1, rejection.retryAfter - age()),
})

/**
 * Whether the answer of one node is enough, since a quorum has recently rejected a call.
 *
 * @param pause - Ms between two tries. A proof lasts for at least two of them.
 */
export const isProven = (
  { proof }: Pace,
  known: Knowledge | undefined,
  pause: number = 0,
): known is Knowledge =>
  known?.rejection.reason === 'locked' && known.proven() < Math.max(proof, 2 * pause)

/** Whether a call can skip the nodes, because another call has just been rejected. */
export const isFresh = (
  { fresh }: Pace,
  known: Knowledge | undefined,
  by: object,
): known is Knowledge =>
  known !== undefined && known.by !== by && known.age() <= Math.max(fresh, known.took ?? 0)

/** A call of this process that waits for a lock. */
export type Waiter = {
  readonly queue: WaitQueue
  /** Whether the lock may have been freed since the waiter last asked the nodes. */
  isNotified: boolean
  /** Ends the sleep before the next try, if there is one. */
  wake: (() => void) | undefined
}

/** The waiters for the same keys, in order of arrival, and what they know about the lock. */
export type WaitQueue = {
  readonly id: string
  readonly waiters: Waiter[]
  known?: Knowledge
}

/**
 * The wait queues of this process, by their keys: first come, first served. Only the head of a queue asks the nodes, so
 * a process competes only once. A holder is not in a queue.
 */
export type WaitQueues = Map<string, WaitQueue>

/** The queues of a client, and the group of them that it uses. */
type QueueOwner = {
  readonly queues: WaitQueues
  /** Calls of different groups do not wait for each other, even if they have the same keys. */
  readonly queueGroup?: string | undefined
}

/** An ID for several keys, which no single key can equal: no key contains half a surrogate pair. */
export const idOfKeys = (keys: readonly string[]): string =>
  keys.length > 1 ? `\ud800${JSON.stringify(keys)}` : keys[0]!

/** The client for calls of another group, which do not wait for those of the given client. */
export const inGroup = <Client extends QueueOwner>(client: Client, group: string): Client => ({
  ...client,
  queueGroup: `${client.queueGroup ?? ''}\udfff${group}`,
})

const queueId = ({ queueGroup }: QueueOwner, keys: readonly string[]): string =>
  queueGroup === undefined ? idOfKeys(keys) : `${queueGroup}\udfff${idOfKeys(keys)}`

const notify = (waiter: Waiter | undefined): void => {
  if (!waiter) return
  waiter.isNotified = true
  waiter.wake?.()
}

/** Appends a waiter to the queue for these keys. */
export const joinQueue = (client: QueueOwner, keys: readonly string[]): Waiter => {
  const { queues } = client
  const id = queueId(client, keys)
  let queue = queues.get(id)
  if (!queue) queues.set(id, (queue = { id, waiters: [] }))
  const waiter: Waiter = { queue, isNotified: false, wake: undefined }
  queue.waiters.push(waiter)
  return waiter
}

/**
 * Removes a waiter. If it was notified that the lock may be free, and has not asked the nodes since, it notifies the
 * next one.
 */
export const leaveQueue = ({ queues }: QueueOwner, waiter: Waiter): void => {
  const { id, waiters } = waiter.queue
  const index = waiters.indexOf(waiter)
  // Nearly always the waiter is the head, which `shift` removes without copying the others.
  if (index) waiters.splice(index, 1)
  else waiters.shift()
  const head = waiters[0]
  if (!head) queues.delete(id)
  else if (waiter.isNotified) notify(head)
  // From now on, the new head asks the nodes.
  else if (!index) head.wake?.()
}

/** Notifies the head of the queue for these keys that the lock may be free. */
export const notifyHead = (client: QueueOwner, keys: readonly string[]): void => {
  const { queues } = client
  if (queues.size > 0) notify(queues.get(queueId(client, keys))?.waiters[0])
}

/** Notifies all of these waiters, which then ask the nodes simultaneously. Each of them may get what it waits for. */
export const notifyAll = (client: QueueOwner, keys: readonly string[]): void =>
  client.queues.get(queueId(client, keys))?.waiters.forEach(notify)
