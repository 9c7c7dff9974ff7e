import type { Subject } from './attempt.ts'
import type { Answer } from './quorum.ts'

// Ms. A node that has been asked for less time since it last answered is not to blame for a timeout.
const minSilence = 1000

// An error of Redis begins with its code. A node that goes on to grant what it does not release keeps every lock until
// it expires, and never fails twice in a row.
const refusal = /^[A-Z]{4,} /

/**
 * Reports that a node went down, or is up again, and warns, once of each error, of the second failure in a row: it is
 * mostly a wrong token or url. The lock works without the node, so that nobody would notice until another one fails.
 * A release that Redis refuses is a warning at once.
 */
export const noteHealth = (
  { client: { cache, clock, warn }, emit }: Subject,
  index: number,
  { node, status, error }: Answer,
  isRelease: boolean | undefined,
): void => {
  const { downSince, silences } = cache
  const since = downSince[index]!
  const now = clock.monotonic()
  if (!error || status === 'quarantined') {
    downSince[index] = Infinity
    if (since < Infinity) emit?.({ type: 'node-up', node, downFor: now - since })
  } else if (status === 'timeout' && now - silences[index]!.since < minSilence) return
  else {
    // The end of an error may vary.
    if (since < Infinity || (isRelease && refusal.test(error.message)))
      warn?.(`${node} fails: ${error.message}`, node + error.message.slice(0, 8))
    if (since < Infinity) return
    downSince[index] = now
    emit?.({ type: 'node-down', node })
  }
}
