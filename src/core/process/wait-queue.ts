import type { Refusal } from '../results/results.ts'
import type { Pace } from './pace.ts'

/** What a call, or the calls of a queue, know about a lock. */
export type Knowledge = {
  readonly refusal: Refusal
  /** Ms that a quorum of nodes took to answer, if one has. */
  readonly took: number | undefined
  /** The call that was told. */
  readonly by: object
  /** Reads how many ms ago. */
  readonly age: () => number
  /** Reads how many ms ago a quorum of nodes said so. */
  readonly proven: () => number
}

/** The refusal as it is now: its time to retry counts down. */
export const currently = ({ refusal, age }: Knowledge): Refusal => ({
  ...refusal,
  retryAfter: Math.max(1, refusal.retryAfter - age()),
})

/**
 * Whether the word of one node is enough, since a quorum has lately refused.
 *
 * @param pause - Ms between two tries. A proof lasts for two of them.
 */
export const isProven = (
  { proof }: Pace,
  known: Knowledge | undefined,
  pause: number = 0,
): known is Knowledge =>
  known?.refusal.reason === 'locked' && known.proven() < Math.max(proof, 2 * pause)

/** Whether a call need not ask the nodes, because another one has just been told. */
export const isFresh = (
  { fresh }: Pace,
  known: Knowledge | undefined,
  by: object,
): known is Knowledge =>
  known !== undefined && known.by !== by && known.age() <= Math.max(fresh, known.took ?? 0)

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

/** The queues of a client, and the group of them that it uses. */
type QueueOwner = {
  readonly queues: WaitQueues
  /** Calls of different groups do not wait for each other, although they have the same keys. */
  readonly queueGroup?: string | undefined
}

/** An id for several keys that no single key can be: no key contains half a surrogate pair. */
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
 * Removes a waiter. If it was told that the lock may be free and has not asked the nodes since, it
 * leaves that to the next.
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
  // From now on it asks the nodes.
  else if (!index) head.wake?.()
}

/** Tells the head of the queue for these keys that the lock may have come free. */
export const notifyHead = (client: QueueOwner, keys: readonly string[]): void => {
  const { queues } = client
  if (queues.size > 0) notify(queues.get(queueId(client, keys))?.waiters[0])
}

/** Tells all of them, who then ask the nodes at once: there is something that is for each. */
export const notifyAll = (client: QueueOwner, keys: readonly string[]): void =>
  client.queues.get(queueId(client, keys))?.waiters.forEach(notify)
