import type { Client } from '../local/client.ts'
import { defaultNodeTimeout } from '../options/resolve-options.ts'

/**
 * The validity of a lock, counted by a stopwatch that was started before the first request. The
 * returned function reads how many ms of `ttl` are certainly left: less the time that has passed, and
 * less what the clocks of nodes and client may drift apart.
 *
 * @see {@link https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/}
 */
export const validityOf =
  ({ driftFactor }: Client, ttl: number, elapsed: () => number): (() => number) =>
  () =>
    ttl * (1 - driftFactor) - 2 - elapsed()

/** Ms after which a request is cancelled. */
export const cancelTimeoutOf = ({ nodeTimeout = defaultNodeTimeout }: Client): number => nodeTimeout

/** Ms for which a round waits for an answer: a lock with half of its validity gone is of little use. */
export const answerTimeoutOf = ({ nodeTimeout, driftFactor }: Client, ttl: number): number =>
  nodeTimeout ?? Math.min(defaultNodeTimeout, (ttl * (1 - driftFactor)) / 2)
