import type { WaitUntil } from '../options/call-options.ts'
import { checkText } from '../protocol/keys.ts'
import { recordClient } from '../records/claim.ts'
import type { RecordKey } from '../records/record-lease.ts'
import type { Held, Unavailable } from '../records/settle.ts'
import { clientOf, type Redlock } from '../redlock.ts'
import { LockedError, QuorumError } from '../reports/errors.ts'
import { withoutMetadata } from '../vote/tally.ts'
import { checkTtl } from '../util/validate.ts'

/**
 * Ms for which the nodes keep a value with `keepFor: 0`, for the calls that wait for it; and the mark of one that
 * was forgotten, since a node that is late may still get the value.
 */
export const handOver = 500

/** The key of a value on the nodes. The keys of idempotent requests have no colon. */
export const onceKey = (
  redlock: Redlock,
  key: string,
  {
    ttl,
    waitUntil,
  }: { readonly ttl?: number | undefined; readonly waitUntil?: WaitUntil | undefined },
): RecordKey => {
  const client = recordClient(clientOf(redlock))
  checkText('key', key, 1)
  const life = ttl ?? client.ttl
  checkTtl('ttl', life, client)
  return { client, key: `once:${key}`, fingerprint: 'once', ttl: life, waitUntil }
}

/**
 * The error for a key that could not be claimed. Without answers of nodes, a record was seen that could not be read,
 * since others repaired it or its time was over: another try finds out. What others have written stays out of it.
 */
export const errorOf = (key: string, { state, retryAfter, nodes }: Held | Unavailable): Error => {
  const Failure = state === 'unavailable' && nodes ? QuorumError : LockedError
  return new Failure([key], { retryAfter, nodes: withoutMetadata(nodes ?? []) })
}
