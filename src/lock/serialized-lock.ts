import { checkKeys, checkText, isValue } from '../protocol/keys.ts'
import { assertOption } from '../util/validate.ts'

/** A held lock as plain data, for another process to adopt. It contains the secret. */
export type SerializedLock = {
  readonly keys: readonly string[]
  readonly value: string
  readonly ttl: number
  readonly metadata?: string
  /** When the validity ends, in ms since 1970 by the clock of the process that wrote it. */
  readonly expiresAt: number
}

/** Checks data from elsewhere. @throws `TypeError` whose message shows nothing of it. */
export const parseLock = (serialized: SerializedLock | string): Required<SerializedLock> => {
  let lock: SerializedLock = Object(serialized)
  try {
    lock = Object(JSON.parse(serialized as string))
  } catch {}
  const { keys, value, ttl, metadata = '', expiresAt } = lock
  const fits = isValue(value) && Number.isFinite(expiresAt)
  assertOption(fits, 'serialized', 'a lock in JSON', undefined)
  checkText('metadata', metadata)
  return { keys: checkKeys(keys), value, ttl, metadata, expiresAt }
}
