import type { Stopwatch } from '../util/clock.ts'
import { answerTimeoutOf, type Attempt, cancelTimeoutOf, validityOf } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { Operation, Plan, Rule } from './rule.ts'

/** The options of a round. */
export type RoundOptions<End extends Outcome> = {
  readonly operation: Operation
  readonly rule: Rule<End>
  /** The nodes to ask, in this order. Default: all, slow ones last. */
  readonly order?: readonly number[] | undefined
  readonly isProbe?: boolean
  /** How long to wait for an answer, in ms. Default: as long as the TTL allows. */
  readonly timeout?: number
  /** The time after which the round ends as `timeout`, in ms. */
  readonly deadline?: number
  /** Whether the round releases its grants if it does not acquire the lock. */
  readonly isAllOrNothing?: boolean
  /** How long the nodes should hold the lock, in ms. Default: the TTL of the attempt. */
  readonly ttl?: number
  /** The minimum fence counter to request from the nodes. */
  readonly counter?: number
  /** A stopwatch that is already running. Default: a new one. */
  readonly elapsed?: Stopwatch | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * The nodes in the order in which to ask them. Nodes that are slow or down come last, so that they do not delay the
 * others.
 */
const orderOf = ({ subject: { client } }: Attempt): readonly number[] => {
  const { roundTrips, downSince } = client.cache
  const isLast = (rank: number): boolean =>
    roundTrips[rank] === Infinity || downSince[rank]! < Infinity
  const last = client.ranks.filter(isLast)
  return last.length ? [...client.ranks.filter((rank) => !isLast(rank)), ...last] : client.ranks
}

/** The plan of a round. */
export const planOf = (
  attempt: Attempt,
  options: Omit<RoundOptions<Outcome>, 'rule'>,
  begunAt: number,
): Plan => {
  const { client, budget } = attempt.subject
  const { cache, concurrency, pace, quorum } = client
  const { operation, isAllOrNothing = false, isProbe = false, deadline = Infinity } = options
  const { ttl = attempt.ttl, timeout = answerTimeoutOf(client, ttl) } = options
  return {
    operation,
    isAllOrNothing,
    order: options.order ?? orderOf(attempt),
    quorum,
    concurrency,
    isProbe,
    ttl,
    validity: validityOf(client, ttl),
    timeout,
    // An acquire is usually the request that opens the connection, so it has more time before it is canceled.
    cancelAfter: operation.locks ? cancelTimeoutOf(client) : timeout,
    deadline,
    roundTrips: cache.roundTrips.slice(),
    took: cache.took,
    begunAt,
    pace,
    budget,
  }
}
