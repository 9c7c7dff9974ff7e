import type { Client } from '../local/client.ts'
import { showNodes } from '../reports/errors.ts'
import type { NodeReport } from '../reports/node-report.ts'
import type { Subject } from './lease.ts'
import type { Answer } from './tally.ts'

// A node that fails from the start is mostly a wrong token or url. The lock works without it, so that
// nobody would notice until another node fails.

// Failures of a node that has never answered after which it is reported: one can be an accident.
const maxFailures = 2

// The replies of REST servers and of Redis to a wrong token or user.
const isRejection = /HTTP 40[13]|WRONGPASS|NOAUTH|NOPERM|unauth|forbidden/i

// Ms. A node that had less time to answer is not to blame.
const minTimeout = 1000

/**
 * Warns, once per isolate and node, of a node that rejects its token or has failed from the start.
 *
 * @param timeout - The ms that the node had to answer.
 */
export const warnOfNode = (
  { client, emit }: Subject,
  index: number,
  { node, status, error }: Answer,
  timeout: number,
): void => {
  if (status === 'timeout' && timeout < minTimeout) return
  const { cache, clock, warn } = client
  const { failures, downSince } = cache
  const isDown = error && status !== 'quarantined'
  const since = downSince[index]
  const now = clock.monotonic()
  if (isDown && since === undefined) emit?.({ type: 'node-down', node })
  if (!isDown && since !== undefined) emit?.({ type: 'node-up', node, downFor: now - since })
  downSince[index] = isDown ? (since ?? now) : undefined
  failures[index] = isDown ? (failures[index] ?? 0) + 1 : -Infinity
  if (!error || !warn) return
  const isRejected = isRejection.test(error.message)
  const what = isRejected ? 'rejects its token' : 'has failed from the start'
  if (isRejected || failures[index] >= maxFailures)
    warn(`${node} ${what}: ${error.message}`, `${node} ${what}`)
}

// Ms from one warning of an outage to the next.
const outageInterval = 60_000

let lastOutage = 0

/** Warns, once a minute, that too few nodes have answered a call. */
export const warnOfOutage = ({ warn, clock }: Client, nodes: readonly NodeReport[]): void => {
  const now = clock.wall()
  if (!warn || Math.abs(now - lastOutage) < outageInterval) return
  lastOutage = now
  console.warn(`edge-redlock: too few nodes answer${showNodes(nodes)}`)
}
