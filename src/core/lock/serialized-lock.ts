import { checkKeys, checkText, isValue } from '../../protocol/keys.ts'
import { assertOption } from '../../util/validate.ts'
import type { Lock } from './lock.ts'
import { stateOf } from './state-of.ts'

/** A held lock as plain data, which another process can adopt. Contains the secret. */
export type SerializedLock = {
  readonly keys: readonly string[]
  readonly value: string
  readonly ttl: number
  readonly metadata?: string
  /** When the validity ends, in ms since 1970, according to the clock of the process that serialized the lock. */
  readonly expiresAt: number
}

/**
 * Returns a lock as plain data, to pass to `adopt` in another process. The data contains the secret, so do not log it.
 *
 * @throws `TypeError` for the lock of an idempotent request, because releasing it elsewhere would end the claim before
 *   the request is completed.
 * @example
 * ```ts
 * await queue.send({ id, lock: serialize(lock) })
 * ```
 */
export const serialize = (lock: Lock): SerializedLock => {
  const { subject, value, ttl } = stateOf(lock).lease
  const { keys, metadata, client, namespace } = subject
  const expected =
    'a lock that you acquired; the lock of an idempotent request cannot be serialized'
  assertOption(namespace.kind !== 'claim', 'lock', expected, lock)
  return { keys, value, ttl, metadata, expiresAt: client.clock.wall() + lock.expiresIn }
}

/** Checks data from another process. @throws `TypeError`, whose message quotes none of the data. */
export const parseLock = (serialized: SerializedLock | string): Required<SerializedLock> => {
  let lock: SerializedLock = Object(serialized)
  try {
    lock = Object(JSON.parse(serialized as string))
  } catch {}
  const { keys, value, ttl, metadata = '', expiresAt } = lock
  const fits = isValue(value) && Number.isFinite(expiresAt)
  assertOption(fits, 'serialized', 'the result of serialize(), or its JSON', serialized)
  checkText('metadata', metadata)
  return { keys: checkKeys(keys), value, ttl, metadata, expiresAt }
}
