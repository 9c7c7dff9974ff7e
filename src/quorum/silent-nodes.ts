import type { Client } from '../local/client.ts'

// A node that swallows packets keeps the connection of each request for seconds. So a node that leaves this
// many requests in a row without an answer, for so many ms, is asked no more often than once in an interval.
const [maxUnanswered, maxSilence] = [16, 500]
const interval = 1_000

const isSilent = ({ cache: { unanswered }, clock }: Client, index: number): boolean => {
  const { count = 0, since = 0 } = unanswered[index] ?? {}
  return count >= maxUnanswered && clock.monotonic() - since >= maxSilence
}

/**
 * Whether a node is better left alone, since it does not answer although a quorum of the others does.
 * Where too few others do, it may be needed, or this process is the one that is cut off or busy.
 */
export const isLeftAlone = (client: Client, index: number): boolean => {
  const { cache, clock, nodes, quorum } = client
  if (!isSilent(client, index)) return false
  const others = nodes.filter((_, at) => !cache.unanswered[at]?.isDown && !isSilent(client, at))
  const { askedAt = 0 } = cache.unanswered[index]!
  return others.length >= quorum && clock.monotonic() - askedAt < interval
}

/** Notes that a node is asked. */
export const noteAsked = ({ cache: { unanswered }, clock }: Client, index: number): void => {
  const now = clock.monotonic()
  const { count = 0, since = now, isDown } = unanswered[index] ?? {}
  unanswered[index] = { count: count + 1, since, askedAt: now, isDown }
}

/** Notes that a node has answered, or has failed at once. */
export const noteHeard = (
  { cache: { unanswered } }: Client,
  index: number,
  isDown?: boolean,
): void => {
  unanswered[index] = { isDown }
}
