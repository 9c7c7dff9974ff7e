import { Budget } from './process/budget.ts'
import type { Client } from './process/client.ts'
import type { WaitUntil } from './options/call-options.ts'
import type { CallEvent } from './results/events.ts'
import { idOf } from '../protocol/reply.ts'
import { fenceKeys, locks, type Namespace, ownerKeys } from '../protocol/keys.ts'
import { defaultNodeTimeout } from './options/resolve-options.ts'

/** The keys of a call, and everything else that its attempts share. */
export type Subject = {
  readonly client: Client
  readonly namespace: Namespace
  readonly keys: readonly string[]
  /** The Redis keys that store the owner, one for each of `keys`. */
  readonly ownerKeys: readonly string[]
  /** The Redis keys of the fence counters, one for each of `keys`; empty if the namespace has no fences. */
  readonly fenceKeys: readonly string[]
  /** The holder's description of itself, which can be empty. */
  readonly metadata: string
  readonly budget: Budget
  readonly waitUntil: WaitUntil | undefined
  /** Reports an event of this call; undefined if there is no listener. */
  readonly emit: ((event: CallEvent) => void) | undefined
}

/** One secret for one set of keys. A round requests the lock under this secret. */
export type Attempt = {
  readonly subject: Subject
  /** The secret that proves ownership. */
  readonly value: string
  /** The public part of the secret. */
  readonly id: string
  /** How long the nodes should hold the lock, in ms. */
  readonly ttl: number
  /**
   * By node: the number of requests that may have locked the node. Requests that the node has rejected do not count. A
   * node with a count of 0 needs no release.
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

/** The lease of an adopted lock, which another process acquired. Any node may hold the lock. */
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

/** An attempt for read-only requests. Its secret is new, so no node has granted it anything. */
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
 * How long a lock is certainly held, in ms, counted from just before its first request. The result is the TTL minus an
 * allowance for drift between the clocks of the client and the nodes.
 *
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const validityOf = ({ driftFactor }: Client, ttl: number): number =>
  ttl * (1 - driftFactor) - 2

/** The time after which a request is canceled, in ms. */
export const cancelTimeoutOf = ({ nodeTimeout = defaultNodeTimeout }: Client): number => nodeTimeout

/**
 * How long to wait for an answer, in ms: at most half the validity, because little of the lock would be left after
 * that.
 */
export const answerTimeoutOf = ({ nodeTimeout, driftFactor }: Client, ttl: number): number =>
  nodeTimeout ?? Math.min(defaultNodeTimeout, (ttl * (1 - driftFactor)) / 2)
