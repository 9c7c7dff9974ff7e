import { locks, tombstoneKind } from '../protocol/keys.ts'
import { lockScript } from '../protocol/lock-script.ts'
import type { Operation, ScriptCall } from '../protocol/script.ts'
import type { Lease } from './lease.ts'

// Ms for which a node remembers a release, so that an acquire that arrives after it grants nothing.
const tombstoneLife = 60_000

/** The call of the lock script for one operation on a lease. `fence` is the counter to reach. */
export const scriptCall = (
  { client: { prefix, fenceTtl }, namespace, keys, value, metadata, requests }: Lease,
  operation: Operation,
  ttl: number,
  fence: number,
): ScriptCall => {
  const redisKeys: string[] = []
  for (const key of keys) for (const kind of namespace) redisKeys.push(prefix + kind + key)
  redisKeys.push(prefix + tombstoneKind + value)
  return {
    script: lockScript,
    keys: redisKeys,
    args: [
      operation,
      metadata ? `${value} ${metadata}` : value,
      `${operation === 'r' ? tombstoneLife : ttl}`,
      `${namespace === locks ? fenceTtl : 0}`,
      `${Math.floor(fence)}`,
    ],
    onResend: () => requests.left--,
  }
}
