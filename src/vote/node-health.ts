import type { Subject } from './lease.ts'
import type { Answer } from './tally.ts'

// Ms. A node that has been asked for less time since it last answered is not to blame for a timeout.
const minSilence = 1000

/**
 * Reports that a node went down, or is up again, and warns, once of each error, of the second failure in a row: it is
 * mostly a wrong token or url. The lock works without the node, so that nobody would notice until another one fails.
 */
export const noteHealth = (
  { client: { cache, clock, warn }, emit }: Subject,
  index: number,
  { node, status, error }: Answer,
): void => {
  const { downSince, silences } = cache
  const since = downSince[index]!
  const now = clock.monotonic()
  if (!error || status === 'quarantined') {
    downSince[index] = Infinity
    if (since < Infinity) emit?.({ type: 'node-up', node, downFor: now - since })
  } else if (status === 'timeout' && now - silences[index]!.since < minSilence) return
  // The end of an error may vary.
  else if (since < Infinity)
    warn?.(`${node} fails: ${error.message}`, node + error.message.slice(0, 8))
  else {
    downSince[index] = now
    emit?.({ type: 'node-down', node })
  }
}
