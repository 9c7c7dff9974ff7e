import type { Subject } from './lease.ts'
import type { Answer } from './tally.ts'

// Ms. A node that had less time to answer is not to blame.
const minTimeout = 1000

/**
 * Reports that a node went down, or is up again, and warns, once of each error, of the second failure in a row: it is
 * mostly a wrong token or url. The lock works without the node, so that nobody would notice until another one fails.
 *
 * @param timeout - The ms that the node had to answer.
 */
export const noteHealth = (
  { client: { cache, clock, warn }, emit }: Subject,
  index: number,
  { node, status, error }: Answer,
  timeout: number,
): void => {
  const { downSince } = cache
  const since = downSince[index]!
  if (!error || status === 'quarantined') {
    downSince[index] = Infinity
    if (since < Infinity) emit?.({ type: 'node-up', node, downFor: clock.monotonic() - since })
  } else if (status === 'timeout' && timeout < minTimeout) return
  else if (since < Infinity) warn?.(`${node} fails: ${error.message}`)
  else {
    downSince[index] = clock.monotonic()
    emit?.({ type: 'node-down', node })
  }
}
