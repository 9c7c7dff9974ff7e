import type { InterceptedClient } from '../acquire/call.ts'
import type { WaitUntil } from '../options/call-options.ts'
import type { Namespace } from '../protocol/keys.ts'
import { recordScript } from '../protocol/record-script.ts'
import { type Lease, newLease, subjectOf } from '../vote/lease.ts'
import type { Request } from '../vote/operations.ts'
import { claimMetadata } from './metadata.ts'

/**
 * The keys of idempotent requests. Nobody else can adopt a claim: its release would end it before its request is
 * completed.
 */
export const records: Namespace = {
  kind: 'claim',
  owner: 'r:',
  fence: 'rf:',
  onHandOver: () => {
    throw new TypeError(
      'The lock of an idempotent request cannot be handed over. Acquire another one',
    )
  },
}

/** The key of one request, and what its calls share. */
export type RecordKey = {
  /** It has the requests that are left for the whole request. */
  readonly client: InterceptedClient
  readonly key: string
  readonly fingerprint: string
  /** Ms that a claim lives unless it is extended. */
  readonly ttl: number
  readonly waitUntil: WaitUntil | undefined
}

/** The lease of a claim that is about to be made. */
export const recordLease = ({ client, key, fingerprint, ttl, waitUntil }: RecordKey): Lease => {
  const metadata = claimMetadata(fingerprint)
  return newLease(subjectOf(client, records, [key], metadata, waitUntil), client.makeValue(), ttl)
}

/** A request of the record script: acquire, also over a record, or complete with one. */
export const recordRequest = (record: string = ''): Request => ({
  script: recordScript,
  argument: record,
})
