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
  /** For how many ms to wait for an answer. Default: as long as the TTL allows. */
  readonly timeout?: number
  /** The ms after which the round ends as `timeout`. */
  readonly deadline?: number
  /** Whether it releases what it was granted, unless it acquires the lock. */
  readonly isAllOrNothing?: boolean
  /** For how many ms the nodes should hold the lock. Default: the TTL of the attempt. */
  readonly ttl?: number
  /** The fence counter that nodes should reach. */
  readonly counter?: number
  /** A stopwatch that was started earlier. */
  readonly elapsed?: Stopwatch | undefined
  readonly signal?: AbortSignal | undefined
}

/** The nodes in the order in which to ask them. Nodes that are slow or down must not take the turns of the others. */
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
    // An acquire usually opens the connection, so it gets more time.
    cancelAfter: operation.locks ? cancelTimeoutOf(client) : timeout,
    deadline,
    roundTrips: cache.roundTrips.slice(),
    took: cache.took,
    begunAt,
    pace,
    budget,
  }
}
