import type { Client } from '../local/client.ts'
import type { WaitUntil } from '../options/call-options.ts'
import { type Namespace, ownerKeys } from '../protocol/keys.ts'
import { keyLockingRecordScript, recordScript } from '../protocol/record-script.ts'
import type { Operation, Script, ScriptCall } from '../protocol/script.ts'
import type { Lease } from '../quorum/lease.ts'
import { scriptCall } from '../quorum/script-call.ts'
import type { NodeReport } from '../reports/node-report.ts'
import { claimMetadata, recordOf } from './metadata.ts'

/** Ends an acquire that has met a record, with the answers of its round. */
export class RecordSeen extends Error {
  readonly answers: readonly (NodeReport | undefined)[]

  constructor(answers: readonly (NodeReport | undefined)[]) {
    super('There is a record')
    this.answers = answers
  }
}

/**
 * The keys of idempotent requests. A claim that sees a record anywhere is given back. Nobody else can adopt
 * one: its release would end it before its request is completed.
 */
export const records: Namespace = [
  'r:',
  'rf:',
  (answers) => {
    if (answers.some((answer) => recordOf(answer))) throw new RecordSeen(answers)
  },
  () => {
    throw new TypeError(
      'The lock of an idempotent request cannot be handed over. Acquire another lock for the work',
    )
  },
]

const script: Script = { ...recordScript, keyLocking: keyLockingRecordScript }

/** The key of one request, and what its calls share. */
export type RecordKey = {
  /** It has the requests that are left for the whole request. */
  readonly client: Client
  readonly key: string
  readonly fingerprint: string
  /** Ms that a claim lives unless it is extended. */
  readonly ttl: number
  readonly waitUntil: WaitUntil | undefined
}

/** The lease of a claim with this value, or of one that is about to be made. */
export const recordLease = (
  { client, key, fingerprint, ttl, waitUntil }: RecordKey,
  value: string = client.makeValue(),
): Lease => ({
  client,
  namespace: records,
  keys: [key],
  ownerKeys: ownerKeys(client, records, [key]),
  value,
  metadata: claimMetadata(fingerprint),
  ttl,
  requests: client.requests!,
  possibleGrants: client.nodes.map(() => 0),
  waitUntil,
})

/** A call of the record script: acquire, also over a record, or complete with one. */
export const recordCall = (
  lease: Lease,
  operation: Extract<Operation, 'a' | 'c'>,
  ttl: number,
  minCounter: number,
  record: string = '',
): ScriptCall => {
  const call = scriptCall(lease, operation, Math.ceil(ttl), minCounter)
  return { ...call, script, args: [...call.args, record] as unknown as ScriptCall['args'] }
}
