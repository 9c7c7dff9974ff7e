import type { Client } from '../local/client.ts'
import type { Silence } from '../local/isolate-cache.ts'

// A node that swallows packets keeps the connection of each request for seconds. So a node that leaves this
// many requests in a row without an answer, for so many ms, is asked no more often than once in an interval.
const [maxUnanswered, maxSilence] = [16, 500]
const interval = 250

const isSilent = ({ unanswered, since }: Silence, now: number): boolean =>
  unanswered >= maxUnanswered && now - since >= maxSilence

/**
 * Whether a node is better left alone, since it does not answer although a quorum of the others does.
 * Where too few others do, it may be needed, or this process is the one that is cut off or busy.
 */
export const isLeftAlone = (
  { cache: { silences }, quorum }: Client,
  index: number,
  now: number,
): boolean => {
  const silence = silences[index]!
  if (!isSilent(silence, now) || now - silence.askedAt >= interval) return false
  // For a second after the request that it answered last, a node counts as one that answers: a process may ask seldom.
  return (
    silences.filter((other) => now - other.heardAt < 4 * interval && !isSilent(other, now))
      .length >= quorum
  )
}

/** Notes that a node is asked. `now` is the time of the monotonic clock. */
export const noteAsked = ({ cache: { silences } }: Client, index: number, now: number): void => {
  const silence = silences[index]!
  silence.askedAt = now
  if (!silence.unanswered++) silence.since = now
}

/** Notes that a node has answered, or has failed at once. */
export const noteHeard = ({ cache }: Client, index: number, isDown: boolean = false): void => {
  const silence = cache.silences[index]!
  silence.unanswered = 0
  // The time of the request, which spares a look at the clock.
  silence.heardAt = isDown ? -Infinity : silence.askedAt
}
