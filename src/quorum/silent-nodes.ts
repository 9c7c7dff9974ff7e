import type { Client } from '../local/client.ts'

// A node that swallows packets keeps the connection of each request for seconds. So a node that leaves this
// many requests in a row without an answer is asked no more often than once in so many ms.
const maxUnanswered = 16
const interval = 1_000

const isSilent = ({ cache: { unanswered } }: Client, index: number): boolean =>
  (unanswered[index]?.count ?? 0) >= maxUnanswered

/**
 * Whether a node is better left alone, since it does not answer although a quorum of the others does.
 * Where a quorum is silent, this process may be the one that is cut off or busy.
 */
export const isLeftAlone = (client: Client, index: number): boolean => {
  const { cache, clock, nodes, quorum } = client
  if (!isSilent(client, index)) return false
  const others = nodes.filter((_, at) => !isSilent(client, at))
  const { askedAt } = cache.unanswered[index]!
  return others.length >= quorum && clock.monotonic() - askedAt < interval
}

/** Notes that a node is asked. */
export const noteAsked = ({ cache: { unanswered }, clock }: Client, index: number): void => {
  const count = (unanswered[index]?.count ?? 0) + 1
  unanswered[index] = { count, askedAt: clock.monotonic() }
}

/** Notes that a node has answered, or that its connection has failed. */
export const noteHeard = ({ cache: { unanswered } }: Client, index: number): void => {
  unanswered[index] = undefined
}
