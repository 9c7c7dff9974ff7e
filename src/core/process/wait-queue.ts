import type { Rejection } from '../results/results.ts'
import type { Pace } from './pace.ts'

/** The last rejection for a lock that a call, or any call of its queue, has received. */
export type Knowledge = {
  readonly rejection: Rejection
  /** The time that a quorum of nodes took to answer, in ms, if a quorum has answered. */
  readonly took: number | undefined
  /** The call that was rejected. */
  readonly by: object
  /** Returns the time since the rejection, in ms. */
  readonly age: () => number
  /** Returns the time since a quorum of nodes last rejected a call, in ms. */
  readonly proven: () => number
}

/** The rejection as of now, with `retryAfter` reduced by its age. */
export const currently = ({ rejection, age }: Knowledge): Rejection => ({
  ...rejection,
  retryAfter: Math.max(1, rejection.retryAfter - age()),
})

/**
 * Whether the answer of one node is sufficient, because a quorum has recently rejected a call.
 *
 * @param pause - The pause between two tries, in ms. A quorum's rejection stays valid for at least two pauses.
 */
export const isProven = (
  { proof }: Pace,
  known: Knowledge | undefined,
  pause: number = 0,
): known is Knowledge =>
  known?.rejection.reason === 'locked' && known.proven() < Math.max(proof, 2 * pause)

/** Whether a call can skip the nodes because another call has just been rejected. */
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
  /** Ends the pause before the next try, if there is one. */
  wake: (() => void) | undefined
}

/** The waiters for the same keys, in order of arrival, and the last rejection that any of them received. */
export type WaitQueue = {
  readonly id: string
  readonly waiters: Waiter[]
  known?: Knowledge
}

/**
 * The wait queues of this process, by key: first come, first served. Only the head of a queue asks the nodes, so a
 * process competes with others only once. A holder is not in a queue.
 */
export type WaitQueues = Map<string, WaitQueue>

/** The queues of a client, and the group of queues that the client uses. */
type QueueOwner = {
  readonly queues: WaitQueues
  /** Calls in different groups do not wait for each other, even for the same keys. */
  readonly queueGroup?: string | undefined
}

/**
 * The ID of a set of keys. The ID of several keys starts with half a surrogate pair, which no key contains, so it never
 * equals a single key.
 */
export const idOfKeys = (keys: readonly string[]): string =>
  keys.length > 1 ? `\ud800${JSON.stringify(keys)}` : keys[0]!

/** A client whose calls belong to another group, so they do not wait for calls of the given client. */
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
 * Removes a waiter. A waiter that was notified of a free lock, and has not asked the nodes since, passes the
 * notification on.
 */
export const leaveQueue = ({ queues }: QueueOwner, waiter: Waiter): void => {
  const { id, waiters } = waiter.queue
  const index = waiters.indexOf(waiter)
  // The waiter is nearly always the head, which `shift` removes without copying the others.
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

/**
 * Notifies all waiters for these keys, which then ask the nodes simultaneously. Use this if all of them can succeed.
 */
export const notifyAll = (client: QueueOwner, keys: readonly string[]): void =>
  client.queues.get(queueId(client, keys))?.waiters.forEach(notify)
