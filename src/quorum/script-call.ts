import { tombstoneKind } from '../protocol/keys.ts'
import { lockScript } from '../protocol/lock-script.ts'
import type { Operation, ScriptCall } from '../protocol/script.ts'
import type { Lease } from './lease.ts'

// Ms for which a node remembers a release, so that an acquire that arrives after it grants nothing.
const tombstoneLife = 60_000

/** The call of the lock script for one operation on a lease. `minCounter` is the counter to reach. */
export const scriptCall = (
  { client: { prefix, fenceTtl }, namespace, keys, ownerKeys, value, metadata, requests }: Lease,
  operation: Operation,
  ttl: number,
  minCounter: number,
): ScriptCall => {
  const [, fence] = namespace
  const lockKeys = fence
    ? keys.flatMap((key, index) => [ownerKeys[index]!, prefix + fence + key])
    : ownerKeys
  return {
    script: lockScript,
    keys: [...lockKeys, prefix + tombstoneKind + value],
    args: [
      operation,
      metadata ? `${value} ${metadata}` : value,
      `${operation === 'r' ? tombstoneLife : ttl}`,
      `${fence ? fenceTtl : 0}`,
      `${Math.floor(minCounter)}`,
    ],
    onResend: () => requests.left--,
  }
}
