import { Budget } from './process/budget.ts'
import type { Client } from './process/client.ts'
import type { WaitUntil } from './options/call-options.ts'
import type { CallEvent } from './results/events.ts'
import { idOf } from '../protocol/reply.ts'
import { fenceKeys, locks, type Namespace, ownerKeys } from '../protocol/keys.ts'
import { defaultNodeTimeout } from './options/resolve-options.ts'

/** The keys of one call, and everything else that its attempts share. */
export type Subject = {
  readonly client: Client
  readonly namespace: Namespace
  readonly keys: readonly string[]
  /** The Redis keys that hold the owner, one for each of `keys`. */
  readonly ownerKeys: readonly string[]
  /** The Redis keys of their fences; empty if the namespace has none. */
  readonly fenceKeys: readonly string[]
  /** The holder's description of itself; may be empty. */
  readonly metadata: string
  readonly budget: Budget
  readonly waitUntil: WaitUntil | undefined
  /** Reports an event of this call; undefined if there is no listener. */
  readonly emit: ((event: CallEvent) => void) | undefined
}

/** One secret for one set of keys. A round asks the nodes for it. */
export type Attempt = {
  readonly subject: Subject
  /** The secret that proves ownership. */
  readonly value: string
  /** Its public part. */
  readonly id: string
  /** For how many ms the nodes should hold the lock. */
  readonly ttl: number
  /**
   * By node: the number of requests because of which it may hold the lock. A request that the node has
   * rejected does not count. A node with none needs no release.
   */
  readonly mayHold: number[]
}

/** An attempt that a quorum has granted. */
export type Lease = Attempt

export const subjectOf = (
  client: Client,
  namespace: Namespace,
  keys: readonly string[],
  metadata: string = '',
  waitUntil?: WaitUntil,
  budget: Budget = client.requests ?? new Budget(client.budget),
): Subject => {
  const { emit } = client
  const { kind } = namespace
  return {
    client,
    namespace,
    keys,
    ownerKeys: ownerKeys(client, namespace, keys),
    fenceKeys: namespace.fence === undefined ? [] : fenceKeys(client, namespace.fence, keys),
    metadata,
    budget,
    waitUntil,
    emit: emit && ((event) => emit({ kind, keys, ...event })),
  }
}

export const newAttempt = (
  subject: Subject,
  value: string,
  ttl: number,
  mayHold: number = 0,
): Attempt => ({
  subject,
  value,
  id: idOf(value),
  ttl,
  mayHold: subject.client.nodes.map(() => mayHold),
})

/** A lease that was acquired elsewhere: that of an adopted lock. Any node may hold it. */
export const existingLease = (
  client: Client,
  keys: readonly string[],
  value: string,
  ttl: number,
  metadata?: string,
  waitUntil?: WaitUntil,
): Lease => {
  const subject = subjectOf(client, locks, keys, metadata, waitUntil)
  return newAttempt(subject, value, ttl, 1)
}

/** An attempt whose secret no client holds, for requests that only read. */
export const readOnlyAttempt = (
  client: Client,
  namespace: Namespace,
  keys: readonly string[],
): Attempt => newAttempt(subjectOf(client, namespace, keys), crypto.randomUUID(), client.ttl)

/** The nodes that may hold the lock for this attempt. */
export const holding = ({ mayHold, subject }: Attempt): readonly number[] => {
  const { ranks } = subject.client
  return mayHold.includes(0) ? ranks.filter((index) => mayHold[index]! > 0) : ranks
}

/**
 * For how many ms a lock is certainly held. They count from the moment before the first request for it. The clocks of
 * nodes and client may drift apart, which is deducted.
 *
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const validityOf = ({ driftFactor }: Client, ttl: number): number =>
  ttl * (1 - driftFactor) - 2

/** Ms after which a request is canceled. */
export const cancelTimeoutOf = ({ nodeTimeout = defaultNodeTimeout }: Client): number => nodeTimeout

/** For how many ms to wait for an answer. A lock is of little use once half of its validity has passed. */
export const answerTimeoutOf = ({ nodeTimeout, driftFactor }: Client, ttl: number): number =>
  nodeTimeout ?? Math.min(defaultNodeTimeout, (ttl * (1 - driftFactor)) / 2)
