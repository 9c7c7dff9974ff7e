import type { Subject } from './attempt.ts'
import type { Answer } from './quorum.ts'

// In ms. A node is not to blame for a timeout if the first request since its last answer was sent less than this ago.
const minSilence = 1000

// An error of Redis begins with its code. A node that grants locks but rejects releases keeps every lock until it
// expires, and never fails twice in a row.
const rejection = /^[A-Z]{4,} /

/**
 * Reports when a node goes down, and when it is up again. Warns at the second failure in a row, once for each error.
 * The usual cause is a wrong token or URL. The lock works without the node, so the failure would go unnoticed until
 * another node fails. A release that Redis rejects causes a warning immediately.
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
    // The end of an error message may vary.
    if (since < Infinity || (isRelease && rejection.test(error.message)))
      warn?.(`${node} fails: ${error.message}`, node + error.message.slice(0, 8))
    if (since < Infinity) return
    downSince[index] = now
    emit?.({ type: 'node-down', node })
  }
}
