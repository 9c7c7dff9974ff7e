import { Budget } from '../../core/process/budget.ts'
import { checkKeys, checkText } from '../../protocol/keys.ts'
import { recordClient } from '../../core/claim/claim.ts'
import type { RecordKey } from '../../core/claim/rounds.ts'
import { isClaimOutage, type Unclaimed } from '../../core/claim/propose.ts'
import { clientOf, type Redlock } from '../../client/redlock.ts'
import { errorOf } from '../../core/results/errors.ts'
import { withoutMetadata } from '../../core/quorum.ts'
import { checkTtl, warnOfSeconds } from '../../util/validate.ts'
import type { OnceOptions } from './options.ts'

/**
 * Ms for which the nodes keep a value with `keepFor: 0`, for the calls that wait for it; and the mark of one that
 * was forgotten, since a node that is late may still get the value.
 */
export const handOver = 500

/** The key of one call, whose tries share a budget. */
export type OnceKey = RecordKey & { readonly client: { readonly requests: Budget } }

/** The key of a value on the nodes. The keys of idempotent requests have no colon. */
export const onceKey = (
  redlock: Redlock,
  key: string,
  given: Partial<Pick<OnceOptions<unknown>, 'ttl' | 'waitUntil' | 'wait' | 'keepFor' | 'maxHold'>>,
): OnceKey => {
  const usual = recordClient(clientOf(redlock))
  const { ttl = usual.ttl, waitUntil } = given
  checkText('key', key, 1)
  const name = `once:${key}`
  checkKeys(name)
  checkTtl('ttl', ttl, usual)
  warnOfSeconds(usual, given)
  const client = { ...usual, requests: new Budget(usual.budget) }
  return { client, key: name, fingerprint: 'once', ttl, waitUntil }
}

/** Whether a call may try again: it has time, and a quorum of nodes can be asked. */
export const mayRetry = ({ client }: OnceKey, left: number): boolean =>
  left > 0 && client.requests.affords(client.nodes.length)

/**
 * The error for a key that could not be claimed. Without answers of nodes, a record was seen that could not be read,
 * since others repaired it or its time was over: another try finds out. What others have written stays out of it.
 */
export const unclaimedError = (key: string, unclaimed: Unclaimed): Error => {
  const { retryAfter, nodes = [] } = unclaimed
  const reason = isClaimOutage(unclaimed) ? 'unavailable' : 'locked'
  return errorOf([key], { reason, retryAfter, nodes: withoutMetadata(nodes) })
}
