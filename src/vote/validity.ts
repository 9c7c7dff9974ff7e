import type { Client } from '../local/client.ts'
import { defaultNodeTimeout } from '../options/resolve-options.ts'

/**
 * Ms for which a lock is certainly held, from the moment before the first request for it: the clocks of nodes
 * and client may drift apart.
 *
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const validityOf = ({ driftFactor }: Client, ttl: number): number =>
  ttl * (1 - driftFactor) - 2

/** Ms after which a request is cancelled. */
export const cancelTimeoutOf = ({ nodeTimeout = defaultNodeTimeout }: Client): number => nodeTimeout

/** Ms for which an answer is waited for: a lock with half of its validity gone is of little use. */
export const answerTimeoutOf = ({ nodeTimeout, driftFactor }: Client, ttl: number): number =>
  nodeTimeout ?? Math.min(defaultNodeTimeout, (ttl * (1 - driftFactor)) / 2)
