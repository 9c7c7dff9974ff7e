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
 * How long the nodes keep a value with `keepFor: 0`, for the calls that wait for it, in ms. They keep the marker of a
 * deleted value for the same time, because a delayed request can still write the value to a node.
 */
export const handOver = 500

/** The key of one call. All attempts of the call share a budget. */
export type OnceKey = RecordKey & { readonly client: { readonly requests: Budget } }

/** The key of a value on the nodes. It cannot collide with the key of an idempotent request, which has no colon. */
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

/** Whether a call can try again: it has time left, and its budget allows a request to every node. */
export const mayRetry = ({ client }: OnceKey, left: number): boolean =>
  left > 0 && client.requests.affords(client.nodes.length)

/**
 * The error for a key that could not be claimed. If `nodes` is missing, the nodes had a record that the call could not
 * read: other clients were repairing it, or time ran out. A retry can succeed in both cases. The error contains no
 * metadata of other clients.
 */
export const unclaimedError = (key: string, unclaimed: Unclaimed): Error => {
  const { retryAfter, nodes = [] } = unclaimed
  const reason = isClaimOutage(unclaimed) ? 'unavailable' : 'locked'
  return errorOf([key], { reason, retryAfter, nodes: withoutMetadata(nodes) })
}
