import type { Subject } from './attempt.ts'
import type { Answer } from './quorum.ts'

// In ms. A timeout does not count against a node if its oldest unanswered request is younger than this.
const minSilence = 1000

// Matches a Redis error, which begins with its code. A node that grants locks but rejects their releases keeps every
// lock until it expires, yet never fails twice in a row.
const rejection = /^[A-Z]{4,} /

/**
 * Reports when a node goes down and when it is up again. Warns at the second failure in a row, once for each error. The
 * usual cause is a wrong token or URL. Locks work without the node, so the problem would go unnoticed until another
 * node fails. If Redis rejects a release, the warning comes at the first failure.
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
    // Only the start of the message identifies the error, because the rest may vary.
    if (since < Infinity || (isRelease && rejection.test(error.message)))
      warn?.('ERL19', `${node} fails: ${error.message}`, node + error.message.slice(0, 8))
    if (since < Infinity) return
    downSince[index] = now
    emit?.({ type: 'node-down', node })
  }
}
